import type { Texts } from "../en/en.ts";

export const share: Texts["share"] = {};
