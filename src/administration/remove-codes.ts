import { removeOneTimeCodes } from "../access/one-time-codes.ts";
import { Problem } from "../base/problem.ts";
import { auditRow } from "../database/audit-entries.ts";
import type { Tx } from "../database/outbox.ts";
import { insertRows } from "../database/prepared.ts";
import { transact } from "../database/transact.ts";
import { codesRemovedMail } from "../mail/codes-removed-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Operator, type OperatorDeps, recordOperation, refuseOwnAccount } from "./operator.ts";
import { findPerson } from "./people.ts";

/** `mailer` is undefined in a command without a running server. */
type Deps = OperatorDeps & { mailer: Mailer | undefined; appUrl: URL };

/**
 * Removes a person's one-time codes and recovery codes after they were lost: the password alone then signs in.
 * Their sessions continue without the second factor. The audit log of each of their workspaces records it, and
 * the person gets a mail; `isMailed` says whether the mail server has accepted it.
 * Throws "not_found", and "conflict" without codes and for the operator's own account.
 */
export async function removePersonsCodes(
  deps: Deps,
  operator: Operator,
  idOrEmail: string,
): Promise<{ id: string; isMailed: boolean }> {
  const { id, email } = await findPerson(deps.db, idOrEmail);
  refuseOwnAccount(operator, id);
  await transact(deps.db, async (tx) => {
    if (!(await removeOneTimeCodes(tx, id))) throw new Problem("conflict", `${idOrEmail} has no one-time codes.`);
    await recordRemoval(tx, id, operator, deps.now());
  });
  recordOperation(deps, operator, "user remove-codes", { user: id });
  if (email === null || deps.mailer === undefined) return { id, isMailed: false };
  const url = new URL("/app/account/security", deps.appUrl).href;
  return { id, isMailed: (await deps.mailer.send(codesRemovedMail({ to: email, url }))) === "sent" };
}

/** Adds the removal to the audit log of each of the person's workspaces. */
async function recordRemoval(tx: Tx, userId: string, operator: Operator, at: number): Promise<void> {
  const members = await tx.selectFrom("members").select("workspaceId").where("userId", "=", userId).execute();
  const by = operator?.userId ?? null;
  const rows = members.map(({ workspaceId }) =>
    auditRow("member.codesRemoved", { workspaceId, objectId: userId, userId: by, at, data: {} }),
  );
  await insertRows(tx, "auditEntries", rows);
}
