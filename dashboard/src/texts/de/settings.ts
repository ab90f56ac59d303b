import type { Texts } from "../en/en.ts";

export const settings: Texts["settings"] = {
  workspaceName: "Name des Arbeitsbereichs",
};
