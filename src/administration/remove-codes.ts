import { auditPerson } from "../access/audit-person.ts";
import { securityUrl } from "../access/mail-account-change.ts";
import { mailTextsOf } from "../access/mail-texts-of.ts";
import { removeSecondFactors } from "../access/remove-second-factors.ts";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { transact } from "../database/transact.ts";
import { accountMailTexts } from "../mail/account-mail-texts.ts";
import { linkMail } from "../mail/link-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Operator, type OperatorDeps, recordOperation, refuseOwnAccount } from "./operator.ts";
import { findPerson } from "./people.ts";

/** `mailer` is undefined in a command without a running server. */
type Deps = OperatorDeps & { mailer: Mailer | undefined; config: Pick<Config, "WAYPOST_URL"> };

/**
 * Removes a person's one-time codes, recovery codes and passkeys after they were lost: signing in then asks for no code.
 * Sessions that began with a passkey end; the others continue without the second factor. The audit log of each of their
 * workspaces records it, and the person gets a mail; `isMailed` says whether the mail server has accepted it.
 * Throws "not_found", and "conflict" without codes and passkeys and for the operator's own account.
 */
export async function removePersonsCodes(
  deps: Deps,
  operator: Operator,
  idOrEmail: string,
): Promise<{ id: string; isMailed: boolean }> {
  const { id, email } = await findPerson(deps.db, idOrEmail);
  refuseOwnAccount(operator, id);
  await transact(deps.db, async (tx) => {
    if (!(await removeSecondFactors(tx, id))) {
      throw new Problem("conflict", `${idOrEmail} has neither one-time codes nor passkeys.`);
    }
    const change = { userId: id, byUserId: operator?.userId ?? null, type: "member.codesRemoved", data: {} } as const;
    await auditPerson(tx, change, deps.now());
  });
  recordOperation(deps, operator, "user remove-codes", { user: id });
  if (email === null || deps.mailer === undefined) return { id, isMailed: false };
  const texts = await mailTextsOf(deps.db, id);
  const english = accountMailTexts("en").codesRemoved;
  const mail = linkMail(texts, { to: email, url: securityUrl(deps.config) }, texts.codesRemoved, english);
  return { id, isMailed: (await deps.mailer.send(mail)) === "sent" };
}
