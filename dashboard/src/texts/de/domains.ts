import type { Texts } from "../en/en.ts";

export const domains: Texts["domains"] = {};
