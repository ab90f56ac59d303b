import { z } from "@hono/zod-openapi";
import { passwordMax } from "../access/users.ts";
import type { App } from "../app.ts";

/** The body of an operation that confirms the person and needs nothing else. */
export const confirmation = z.object({
  currentPassword: z
    .string()
    .max(passwordMax, `must have at most ${passwordMax} characters`)
    .optional()
    .openapi({ description: "Required for users with a password. Others must have signed in within 10 minutes." }),
});
/** An example of this body. */
export const confirmationExample = { currentPassword: "correct horse battery" };

type Deps = Pick<App, "attempts" | "config" | "db" | "now">;

/** What confirmPerson uses in a call of the signed-in person. */
export function confirmingDeps({ db, now, attempts, config }: Deps, { signal }: Request) {
  return { db, now, config, limits: attempts.ownPassword, signal };
}
