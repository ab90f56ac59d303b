import type { Texts } from "../en/en.ts";

export const analytics: Texts["analytics"] = {};
