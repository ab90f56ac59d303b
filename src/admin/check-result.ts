import { z } from "zod";

/** The result of one of doctor's checks: whether it passed, with a warning or without, and a line that explains it. */
export const CheckResult = z.object({
  check: z.string(),
  ok: z.boolean(),
  warning: z.literal(true).optional(),
  detail: z.string(),
});
export type CheckResult = z.output<typeof CheckResult>;

/** The detail of a check that needs the database of the running server, while that does not answer. */
export const unknownWhileDown = "unknown while the database does not answer";
