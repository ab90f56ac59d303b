import { CodeBadge } from "./code-badge.tsx";
import type { Label } from "./labels.ts";
import { ValueIcon } from "./value-icon.tsx";

/** What is before the text of a value: its icon, or its short code. */
export function ValueSign({ icon, sign }: Pick<Label, "icon" | "sign">) {
  if (icon !== undefined) return <ValueIcon icon={icon} />;
  return sign === undefined || sign === "" ? null : <CodeBadge text={sign} />;
}
