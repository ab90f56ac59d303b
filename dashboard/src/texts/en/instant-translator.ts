import type { Format } from "../../base/format.ts";
import { type Translate, withoutFullStop } from "../sentences.ts";

/** The service's instants have milliseconds; examples of the format have none and stay unchanged. */
const ownInstant = /(^|\s)(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)(?=[\s.,;]|$)/g;

/** TABLE of the API's sentences that address the person who fills in a form. */
const formSentences: ReadonlyMap<string, string> = new Map([
  ["must be a URL such as https://example.com/page", "enter a valid URL, such as https://example.com/page"],
]);

/** Creates the translator for English: the API's own sentences with formatted times, except those of the table. */
export function instantTranslator(format: Pick<Format, "instant">): Translate {
  return (sentence) => {
    const plain = withoutFullStop(sentence);
    const inForms = formSentences.get(plain);
    if (inForms !== undefined) return inForms;
    return plain.replace(ownInstant, (match, before: string, instant: string) =>
      Number.isNaN(Date.parse(instant)) ? match : before + format.instant(instant),
    );
  };
}
