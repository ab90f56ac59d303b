import type { Texts } from "../en/en.ts";

import { links as english } from "../en/links.ts";

export const links: Texts["links"] = english;
