import type { Format } from "../../../base/format.ts";
import { type Translate, translator } from "../../sentences.ts";
import { access } from "./access.ts";
import { domains } from "./domains.ts";
import { links } from "./links.ts";
import { service } from "./service.ts";
import { values } from "./values.ts";

/** The API's sentences in this language. */
export const sentences = { ...access, ...domains, ...links, ...service, ...values };

/** What translates them, with times as the format writes them. */
export function translateWith(format: Format): Translate {
  return translator(sentences, format);
}
