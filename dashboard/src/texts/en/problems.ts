import type { ProblemCode } from "../../../../sdk/client.ts";
import type { Format } from "../../base/format.ts";
import type { Translate } from "../sentences.ts";

type ProblemTexts = {
  /** Says in this language what the API said; undefined where it has no words for it. */
  translate: Translate;
  /** Brings the translations, which are many; undefined once they are there. */
  load: ((format: Format) => Promise<Translate>) | undefined;
  /** What ends a sentence. */
  stop: string;
  /** Of an answer that is none of the API's, as from a proxy. */
  answered(status: number): string;
  /** In front of the API's own words where they have no translation; undefined where those are of this language. */
  codes: Record<ProblemCode, string> | undefined;
};

/** Problems as the API words them, which is in English; only its times are written as others in the dashboard are. */
export const problems: ProblemTexts = {
  translate: () => undefined,
  load: async (format) => (await import("./moment-translator.ts")).momentTranslator(format),
  stop: ".",
  answered: (status) => `The server answered ${status}.`,
  codes: undefined,
};
