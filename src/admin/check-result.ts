import { z } from "zod";

/** What one of doctor's checks has found: whether it is right, and the line that says so. */
export const CheckResult = z.object({ check: z.string(), ok: z.boolean(), detail: z.string() });
export type CheckResult = z.output<typeof CheckResult>;
