import { disconnectAll, listIdentities, type UserIdentity } from "../access/identities.ts";
import { sendAccountMail } from "../access/mail-account-change.ts";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { transact } from "../database/transact.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Operator, type OperatorDeps, recordOperation, refuseOwnAccount } from "./operator.ts";
import { findPerson } from "./people.ts";

/** `mailer` is undefined in a command without a running server. */
type Deps = OperatorDeps & { config: Config; mailer: Mailer | undefined };

/** The identities of a person, oldest first. Throws "not_found". */
export async function identitiesOfPerson(deps: Deps, idOrEmail: string): Promise<UserIdentity[]> {
  const { id } = await findPerson(deps.db, idOrEmail);
  return await listIdentities(deps, id);
}

/**
 * Disconnects all identities of a person, for example when their address belongs to another person at the provider, and
 * ends the sessions that began there. The audit log of each of their workspaces records it, and the person gets a mail.
 * Throws "not_found", and "conflict" without identities and for the operator's own account.
 */
export async function disconnectIdentities(
  deps: Deps,
  operator: Operator,
  idOrEmail: string,
): Promise<{ id: string; disconnected: number }> {
  const { db, now, config, mailer } = deps;
  const { id, email, emailVerified } = await findPerson(db, idOrEmail);
  refuseOwnAccount(operator, id);
  const identities = await transact(db, async (tx) => {
    const removed = await disconnectAll(tx, { userId: id, byUserId: operator?.userId ?? null, config }, now());
    if (removed.length === 0) throw new Problem("conflict", `${idOrEmail} signs in with no identity provider.`);
    return removed;
  });
  recordOperation(deps, operator, "user disconnect", { user: id, disconnected: identities.length });
  if (mailer !== undefined && email !== null && emailVerified) {
    for (const { provider } of identities) {
      const change = { kind: "identityDisconnected", provider } as const;
      void sendAccountMail({ db, mailer, config }, { id, to: email }, change);
    }
  }
  return { id, disconnected: identities.length };
}
