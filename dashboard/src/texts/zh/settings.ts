import type { Texts } from "../en/en.ts";

export const settings: Texts["settings"] = {
  workspaceName: "工作区名称",
};
