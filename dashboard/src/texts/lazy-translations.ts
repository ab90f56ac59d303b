import type { Format } from "../base/format.ts";
import type { Sentences, Translate } from "./sentences.ts";

/**
 * Creates a loader of a language's translations of the API's sentences. The translations and the translator are not in
 * the first script.
 */
export function lazyTranslations(
  language: () => Promise<{ sentences: Sentences }>,
): (format: Format) => Promise<Translate> {
  return async (format) => {
    const [{ sentences }, { translator }] = await Promise.all([language(), import("./sentences.ts")]);
    return translator(sentences, format);
  };
}
