import type { ProblemCode } from "../../../../sdk/client.ts";
import type { Format } from "../../base/format.ts";
import type { Translate } from "../sentences.ts";

type ProblemTexts = {
  /** Translates the API's text; undefined if there is no translation. */
  translate: Translate;
  /** Loads the translations; undefined once they are loaded. */
  load: ((format: Format) => Promise<Translate>) | undefined;
  /** The full stop of the language. */
  fullStop: string;
  /** For a response that is not from the API, for example from a proxy. */
  unexpectedStatus(status: number): string;
  /** By code, shown when a message has no translation; undefined in English, which needs none. */
  fallbackByCode: Record<ProblemCode, string> | undefined;
};

/** English needs no translation: only times are formatted. */
export const problems: ProblemTexts = {
  translate: () => undefined,
  load: async (format) => (await import("./instant-translator.ts")).instantTranslator(format),
  fullStop: ".",
  unexpectedStatus: (status) => `The server responded with status ${status}.`,
  fallbackByCode: undefined,
};
