import type { Format } from "../../base/format.ts";
import { type Translate, withoutStop } from "../sentences.ts";

/** The service's instants have milliseconds; examples of the format have none and stay unchanged. */
const ownInstant = /(^|\s)(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)(?=[\s.,;]|$)/g;

/** Creates the translator for English: the API's own sentences with formatted times. */
export function instantTranslator(format: Pick<Format, "instant">): Translate {
  return (sentence) =>
    withoutStop(sentence).replace(ownInstant, (match, before: string, instant: string) =>
      Number.isNaN(Date.parse(instant)) ? match : before + format.instant(instant),
    );
}
