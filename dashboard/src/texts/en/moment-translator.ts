import type { Format } from "../../base/format.ts";
import { type Translate, withoutStop } from "../sentences.ts";

/** The service writes its own instants with milliseconds; examples of how to write one have none, and stay. */
const ownInstant = /(^|\s)(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)(?=[\s.,;]|$)/g;

/** What says the API's sentences in its own words, with times as the format writes them. */
export function momentTranslator({ moment }: Pick<Format, "moment">): Translate {
  return (said) =>
    withoutStop(said).replace(ownInstant, (whole, before: string, instant: string) =>
      Number.isNaN(Date.parse(instant)) ? whole : before + moment(instant),
    );
}
