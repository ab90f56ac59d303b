import { randomBase62, sha256 } from "../base/ids.ts";
import type { Db } from "../database/database.ts";
import { accountMailTexts } from "../mail/account-mail-texts.ts";
import { inviteMail } from "../mail/invite-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { inviteAttemptsMax, inviteClosed, inviteTokenLength } from "./invites.ts";

type Deps = { db: Db; now: () => number; mailer: Mailer; appUrl: URL };

/**
 * Mails the link of an open invite to an address that the holder of the invite's link has typed. Looks up no account:
 * neither the response nor its time reveals whether the address has one. `language` is that of the page. Only the latest
 * mailed link works.
 * Throws "not_found" for an invite that is not open, and after inviteAttemptsMax mails.
 */
export async function mailInviteLink(
  { db, now, mailer, appUrl }: Deps,
  token: string,
  { to, language }: { to: string; language: string },
): Promise<void> {
  const mailedToken = randomBase62(inviteTokenLength);
  const invite = await db
    .updateTable("invites")
    .set((row) => ({ mailedTo: to, mailedHash: sha256(mailedToken), attempts: row("attempts", "+", 1) }))
    .where("hash", "=", sha256(token))
    .where("email", "is", null)
    .where("expiresAt", ">", now())
    .where("attempts", "<", inviteAttemptsMax)
    .returning(["workspaceId", "userId", "expiresAt"])
    .executeTakeFirst();
  if (invite === undefined) throw inviteClosed();
  const { workspaceId, userId, expiresAt } = invite;
  const workspace = await db.selectFrom("workspaces").select("name").where("id", "=", workspaceId).executeTakeFirst();
  const inviter = userId === null ? undefined : await nameOf(db, userId);
  const url = new URL(`/app/invites/${mailedToken}`, appUrl).href;
  const content = { to, workspace: workspace?.name ?? "", inviter: inviter ?? "", url, expiresAt };
  await mailer.send(inviteMail(accountMailTexts(language), content));
}

async function nameOf(db: Db, userId: string): Promise<string | undefined> {
  return (await db.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirst())?.name;
}
