import { invalid, Problem } from "../base/problem.ts";
import { transact } from "../database/transact.ts";
import { confirmPerson, type OwnSession } from "./confirm-person.ts";
import { deleteUser } from "./delete-user.ts";
import { requireSession } from "./sessions.ts";
import { getUser } from "./update-user.ts";

/** The confirmation of a person who deletes their account: the e-mail address, and the password if there is one. */
export type DeletionConfirmation = { confirm: string; currentPassword?: string | undefined };

type Deps = Parameters<typeof confirmPerson>[0];

/**
 * Erases the user of this session, as deleteUser does, after confirmPerson has confirmed that it is them.
 * Throws "unprocessable_entity" for a wrong confirmation or password, "forbidden" when confirmPerson requires another
 * sign-in, "conflict" for the only owner of a workspace, "unauthorized" when the session has ended,
 * "rate_limit_exceeded" after too many wrong passwords.
 */
export async function deleteOwnUser(
  deps: Deps,
  session: OwnSession,
  { confirm, currentPassword }: DeletionConfirmation,
): Promise<{ id: string }> {
  const { userId, sessionId } = session;
  const user = await getUser(deps, userId);
  if (confirm.trim().toLowerCase() !== (user.email ?? user.name).toLowerCase()) {
    throw invalid("confirm", "must be your e-mail address, exactly as in your profile.");
  }
  await confirmPerson(deps, session, currentPassword);
  const result = await transact(deps.db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    return await deleteUser(tx, userId, deps.now());
  });
  if (result.kind === "deleted") return { id: userId };
  throw new Problem(
    "conflict",
    `You are the only owner of ${result.workspaces.map(({ name }) => name).join(", ")}. Make another member owner there, or delete the workspace.`,
  );
}
