import type { Texts } from "../en/en.ts";

export const links: Texts["links"] = {};
