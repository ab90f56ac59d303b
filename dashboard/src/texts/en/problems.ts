import type { ProblemCode } from "../../../../sdk/client.ts";
import type { Format } from "../../base/format.ts";
import type { Translate } from "../sentences.ts";

type ProblemTexts = {
  /** Translates the API's text; undefined if there is no translation. */
  translate: Translate;
  /** Loads the translations; undefined once they are loaded. */
  load: ((format: Format) => Promise<Translate>) | undefined;
  /** The full stop of the language. */
  stop: string;
  /** For a response that is not from the API, for example from a proxy. */
  answered(status: number): string;
  /** Shown before API text that has no translation, by code; undefined where the API's language is used. */
  codes: Record<ProblemCode, string> | undefined;
};

/** Problems in the API's own English words, with formatted times. */
export const problems: ProblemTexts = {
  translate: () => undefined,
  load: async (format) => (await import("./moment-translator.ts")).momentTranslator(format),
  stop: ".",
  answered: (status) => `The server answered ${status}.`,
  codes: undefined,
};
