import { WaypostError } from "../../../sdk/client.ts";
import type { Texts } from "../texts/en/en.ts";

/** A message in the person's language, followed by the server's English text where it has no translation. */
export type ProblemMessage = { text: string; english?: string };

/** What is wrong with one field. */
export type FieldError = ProblemMessage & { field: string };

/** How to show an error: a sentence, and the fields that it names, if any. */
export type ShownProblem = {
  message: ProblemMessage;
  fieldErrors: readonly FieldError[];
  /** Set for failures of the service, whose log has more about them; useless for a refused request. */
  requestId: string | null;
};

/** A form that the dashboard itself refuses to send, with messages in the person's language. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly fieldErrors: readonly FieldError[];

  constructor(fieldErrors: readonly [FieldError, ...FieldError[]]) {
    super(fieldErrors[0].text);
    this.fieldErrors = fieldErrors;
  }
}

/** Fields are named by their path, such as `rules.0.when.country`; several errors are separated by semicolons. */
const fieldPattern = /^([\w[\]]+(?:\.[^\s:]*)?): (.*)$/s;
const fieldSeparator = /; (?=[\w[\]]+(?:\.[^\s:]*)?: )/;
/** The service reports at most five errors. Further pieces stay together, since each may be tried with each other. */
const piecesMax = 12;
/** Statuses with which proxies report that the server does not respond. */
export const gatewayStatuses = [502, 503, 504];

type Words = Pick<Texts, "problems" | "words">;

/** The last result for each error: every field of a form asks on each render. */
const lastProblems = new WeakMap<WaypostError, { problems: Texts["problems"]; problem: ShownProblem }>();

/** Describes an error; undefined when there is none. */
export function problemOf(error: unknown, texts: Words): ShownProblem | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof ValidationError) {
    return { message: { text: error.message }, fieldErrors: error.fieldErrors, requestId: null };
  }
  if (!(error instanceof WaypostError)) {
    return { message: { text: texts.words.serverUnreachable }, fieldErrors: [], requestId: null };
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
    const text = gatewayStatuses.includes(status) ? words.serverUnreachable : problems.unexpectedStatus(status);
    return { message: { text }, fieldErrors: [], requestId };
  }
  const say = (english: string): ProblemMessage => {
    const translated = problems.translate(english);
    if (translated !== undefined) return { text: translated };
    if (problems.fallbackByCode === undefined) return { text: english };
    // A newer service may have codes that these texts do not have.
    return {
      text: Object.hasOwn(problems.fallbackByCode, code)
        ? problems.fallbackByCode[code]
        : problems.unexpectedStatus(status),
      english,
    };
  };
  const fieldErrors = fieldsOf(message, (reason) => problems.translate(reason) !== undefined).map(
    ({ field, reason }): FieldError => ({ field, ...say(reason) }),
  );
  return { message: asSentence(fieldErrors[0] ?? say(message), problems), fieldErrors, requestId };
}

/** The error of a form field as a sentence; undefined when the error is about other fields. */
export function fieldErrorIn(error: unknown, texts: Words, ...fields: string[]): ProblemMessage | undefined {
  const fieldError = problemOf(error, texts)?.fieldErrors.find(({ field }) => fields.includes(field));
  return fieldError && asSentence(fieldError, texts.problems);
}

/** A field, and the API's English reason for refusing it. */
type RefusedField = { field: string; reason: string };

/** The fields that an error names, in the API's own words, for code that tells them apart. */
export function refusedFields(error: unknown): RefusedField[] {
  if (error instanceof ValidationError) return error.fieldErrors.map(({ field, text }) => ({ field, reason: text }));
  return error instanceof WaypostError ? fieldsOf(error.message, () => true) : [];
}

/**
 * The errors in a message, one per field; none when it names no field. Text that looks like the next error may be part
 * of a value, such as a name: then the two make a known sentence only together.
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

function asSentence({ text, english }: ProblemMessage, { fullStop }: Texts["problems"]): ProblemMessage {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return {
    text: /[.!?。！？]$/.test(sentence) ? sentence : sentence + fullStop,
    ...(english !== undefined && { english }),
  };
}
