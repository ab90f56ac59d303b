import { access } from "./access.ts";
import { administration } from "./administration.ts";
import { domains } from "./domains.ts";
import { links } from "./links.ts";
import { service } from "./service.ts";
import { values } from "./values.ts";

/** The API's sentences in this language. */
export const sentences = { ...access, ...administration, ...domains, ...links, ...service, ...values };
