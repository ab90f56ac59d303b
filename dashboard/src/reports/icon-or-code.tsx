import { CodeBadge } from "./code-badge.tsx";
import type { Label } from "./labels.ts";
import { ValueIcon } from "./value-icon.tsx";

/** The icon of a value, or its short code if it has no icon; shown before its text. */
export function IconOrCode({ icon, code }: Pick<Label, "icon" | "code">) {
  if (icon !== undefined) return <ValueIcon icon={icon} />;
  return code === undefined || code === "" ? null : <CodeBadge text={code} />;
}
