import type { Texts } from "../en/en.ts";

export const welcome: Texts["welcome"] = {};
