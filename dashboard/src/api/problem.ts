import { WaypostError } from "../../../sdk/client.ts";
import type { Texts } from "../texts/en/en.ts";

/** What is said, in the person's language; and after it the server's own words, where they have no translation. */
export type ProblemMessage = { words: string; english?: string };

/** What is wrong with one field. */
export type FieldError = ProblemMessage & { field: string };

/** What to show of an error: a sentence to stand alone, and the fields that it names, if it names any. */
export type ShownProblem = {
  message: ProblemMessage;
  fieldErrors: readonly FieldError[];
  /** Of what the service itself failed at: its log knows more. Who is refused can do nothing with it. */
  requestId: string | null;
};

/** What the dashboard itself refuses to send, as the API refuses others; it is told in the person's language. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly fieldErrors: readonly FieldError[];

  constructor(fieldErrors: readonly [FieldError, ...FieldError[]]) {
    super(fieldErrors[0].words);
    this.fieldErrors = fieldErrors;
  }
}

/** Fields are named by their path, such as `rules.0.when.country`; several mistakes are separated by semicolons. */
const fieldPattern = /^([\w[\]]+(?:\.[^\s:]*)?): (.*)$/s;
const fieldSeparator = /; (?=[\w[\]]+(?:\.[^\s:]*)?: )/;
/** The service tells five mistakes at most; what is beyond stays together, for every piece may be tried with each other. */
const piecesMax = 12;
/** What proxies answer in place of a server that does not. */
const gatewayStatuses = [502, 503, 504];

type Words = Pick<Texts, "problems" | "words">;

/** What was told of each error last: every field of a form asks with every drawing. */
const lastProblems = new WeakMap<WaypostError, { problems: Texts["problems"]; problem: ShownProblem }>();

/** What to show of an error; undefined where there is none. */
export function problemOf(error: unknown, texts: Words): ShownProblem | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof ValidationError) {
    return { message: { words: error.message }, fieldErrors: error.fieldErrors, requestId: null };
  }
  if (!(error instanceof WaypostError)) {
    return { message: { words: texts.words.serverAway }, fieldErrors: [], requestId: null };
  }
  const last = lastProblems.get(error);
  if (last?.problems === texts.problems) return last.problem;
  const problem = problemFromResponse(error, texts);
  lastProblems.set(error, { problems: texts.problems, problem });
  return problem;
}

function problemFromResponse(error: WaypostError, { problems, words }: Words): ShownProblem {
  const { code, message, status } = error;
  const requestId = status >= 500 ? error.requestId : null;
  if (code === "unknown") {
    const text = gatewayStatuses.includes(status) ? words.serverAway : problems.answered(status);
    return { message: { words: text }, fieldErrors: [], requestId };
  }
  const say = (english: string): ProblemMessage => {
    const translated = problems.translate(english);
    if (translated !== undefined) return { words: translated };
    if (problems.codes === undefined) return { words: english };
    // A newer service than these texts may have codes that they do not know.
    return { words: Object.hasOwn(problems.codes, code) ? problems.codes[code] : problems.answered(status), english };
  };
  const fieldErrors = fieldsOf(message, (reason) => problems.translate(reason) !== undefined).map(
    ({ field, reason }): FieldError => ({ field, ...say(reason) }),
  );
  return { message: asSentence(fieldErrors[0] ?? say(message), problems), fieldErrors, requestId };
}

/** What is wrong with a field of a form, as a sentence; undefined when nothing, or another one is. */
export function fieldErrorIn(error: unknown, texts: Words, ...fields: string[]): ProblemMessage | undefined {
  const fieldError = problemOf(error, texts)?.fieldErrors.find(({ field }) => fields.includes(field));
  return fieldError && asSentence(fieldError, texts.problems);
}

/** A field, and what the API says is wrong with it, whatever the person's language. */
type RefusedField = { field: string; reason: string };

/** The fields that an error names, for what is told apart by them. */
export function refusedFields(error: unknown): RefusedField[] {
  if (error instanceof ValidationError) return error.fieldErrors.map(({ field, words }) => ({ field, reason: words }));
  return error instanceof WaypostError ? fieldsOf(error.message, () => true) : [];
}

/**
 * The mistakes in a message, one for each field; none where it names no field. What looks like the next mistake may be
 * part of a value that is told, such as a name: so it is where the two make a sentence together and not alone.
 */
function fieldsOf(message: string, isSentence: (reason: string) => boolean): RefusedField[] {
  const pieces = fieldPattern.test(message) ? piecesOf(message) : [];
  const parts: RefusedField[] = [];
  for (let from = 0, next = 0; from < pieces.length; from = next) {
    const ends = pieces.map((_, index) => index + 1).slice(from);
    const reading = (end: number) => readField(pieces.slice(from, end).join("; "));
    next = ends.find((end) => isSentence(reading(end).reason)) ?? from + 1;
    parts.push(reading(next));
  }
  return parts;
}

function piecesOf(message: string): string[] {
  const pieces = message.split(fieldSeparator);
  if (pieces.length <= piecesMax) return pieces;
  return [...pieces.slice(0, piecesMax - 1), pieces.slice(piecesMax - 1).join("; ")];
}

function readField(message: string): RefusedField {
  const [, field = "", reason = message] = fieldPattern.exec(message) ?? [];
  return { field, reason };
}

function asSentence({ words, english }: ProblemMessage, { stop }: Texts["problems"]): ProblemMessage {
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return {
    words: /[.!?。！？]$/.test(begun) ? begun : begun + stop,
    ...(english !== undefined && { english }),
  };
}
