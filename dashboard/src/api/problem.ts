import { WaypostError } from "../../../sdk/client.ts";
import type { Texts } from "../texts/en/en.ts";

/** What is said, in the person's language; and after it the server's own words, where they have no translation. */
export type Said = { words: string; english?: string };

/** What is wrong with one field. */
export type Mistake = Said & { field: string };

/** What to show of an error: a sentence to stand alone, and the fields that it names, if it names any. */
export type Told = {
  said: Said;
  mistakes: readonly Mistake[];
  /** Of what the service itself failed at: its log knows more. Who is refused can do nothing with it. */
  requestId: string | null;
};

/** What the dashboard itself refuses to send, as the API refuses others; it is told in the person's language. */
export class OwnRefusal extends Error {
  override readonly name = "OwnRefusal";
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly [Mistake, ...Mistake[]]) {
    super(mistakes[0].words);
    this.mistakes = mistakes;
  }
}

/** Fields are named by their path, such as `rules.0.when.country`; several mistakes are separated by semicolons. */
const named = /^([\w[\]]+(?:\.[^\s:]*)?): (.*)$/s;
const between = /; (?=[\w[\]]+(?:\.[^\s:]*)?: )/;
/** The service tells five mistakes at most; what is beyond stays together, for every piece may be tried with each other. */
const piecesMax = 12;
/** What proxies answer in place of a server that does not. */
const gatewayStatuses = [502, 503, 504];

type Words = Pick<Texts, "problems" | "words">;

/** What was told of each error last: every field of a form asks with every drawing. */
const lastTold = new WeakMap<WaypostError, { problems: Texts["problems"]; told: Told }>();

/** What to show of an error; undefined where there is none. */
export function toldBy(error: unknown, texts: Words): Told | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof OwnRefusal) {
    return { said: { words: error.message }, mistakes: error.mistakes, requestId: null };
  }
  if (!(error instanceof WaypostError)) {
    return { said: { words: texts.words.serverAway }, mistakes: [], requestId: null };
  }
  const last = lastTold.get(error);
  if (last?.problems === texts.problems) return last.told;
  const told = toldByService(error, texts);
  lastTold.set(error, { problems: texts.problems, told });
  return told;
}

function toldByService(error: WaypostError, { problems, words }: Words): Told {
  const { code, message, status } = error;
  const requestId = status >= 500 ? error.requestId : null;
  if (code === "unknown") {
    const text = gatewayStatuses.includes(status) ? words.serverAway : problems.answered(status);
    return { said: { words: text }, mistakes: [], requestId };
  }
  const say = (english: string): Said => {
    const translated = problems.translate(english);
    if (translated !== undefined) return { words: translated };
    if (problems.codes === undefined) return { words: english };
    // A newer service than these texts may have codes that they do not know.
    return { words: Object.hasOwn(problems.codes, code) ? problems.codes[code] : problems.answered(status), english };
  };
  const mistakes = partsOf(message, (what) => problems.translate(what) !== undefined).map(
    ({ field, what }): Mistake => ({ field, ...say(what) }),
  );
  return { said: asSentence(mistakes[0] ?? say(message), problems), mistakes, requestId };
}

/** What is wrong with a field of a form, as a sentence; undefined when nothing, or another one is. */
export function mistakeIn(error: unknown, texts: Words, ...fields: string[]): Said | undefined {
  const mistake = toldBy(error, texts)?.mistakes.find(({ field }) => fields.includes(field));
  return mistake && asSentence(mistake, texts.problems);
}

/** A field, and what the API says is wrong with it, whatever the person's language. */
export type Refused = { field: string; what: string };

/** The fields that an error names, for what is told apart by them. */
export function refusedIn(error: unknown): Refused[] {
  if (error instanceof OwnRefusal) return error.mistakes.map(({ field, words }) => ({ field, what: words }));
  return error instanceof WaypostError ? partsOf(error.message, () => true) : [];
}

/**
 * The mistakes in a message, one for each field; none where it names no field. What looks like the next mistake may be
 * part of a value that is told, such as a name: so it is where the two make a sentence together and not alone.
 */
function partsOf(message: string, isSentence: (what: string) => boolean): Refused[] {
  const pieces = named.test(message) ? piecesOf(message) : [];
  const parts: Refused[] = [];
  for (let from = 0, next = 0; from < pieces.length; from = next) {
    const ends = pieces.map((_, index) => index + 1).slice(from);
    const reading = (end: number) => readPart(pieces.slice(from, end).join("; "));
    next = ends.find((end) => isSentence(reading(end).what)) ?? from + 1;
    parts.push(reading(next));
  }
  return parts;
}

function piecesOf(message: string): string[] {
  const pieces = message.split(between);
  if (pieces.length <= piecesMax) return pieces;
  return [...pieces.slice(0, piecesMax - 1), pieces.slice(piecesMax - 1).join("; ")];
}

function readPart(said: string): Refused {
  const [, field = "", what = said] = named.exec(said) ?? [];
  return { field, what };
}

function asSentence({ words, english }: Said, { stop }: Texts["problems"]): Said {
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return {
    words: /[.!?。！？]$/.test(begun) ? begun : begun + stop,
    ...(english !== undefined && { english }),
  };
}
