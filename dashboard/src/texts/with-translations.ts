import type { Format } from "../base/format.ts";
import type { Texts } from "./en/en.ts";

/** The messages of a language with the translations of the API's sentences, loaded if necessary. */
export async function withTranslations(texts: Texts, format: Format): Promise<Texts> {
  const { problems } = texts;
  if (problems.load === undefined) return texts;
  return { ...texts, problems: { ...problems, translate: await problems.load(format), load: undefined } };
}
