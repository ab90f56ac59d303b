import type { Db } from "../database/database.ts";
import { inviteMail } from "../mail/invite-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Actor } from "./actor.ts";
import { createInvite, type Invite, type NewInvite } from "./invites.ts";

type Deps = { db: Db; now: () => number; mailer: Mailer; appUrl: URL };

/**
 * Creates an invite and, if it names an address, mails a link there, which verifies the address. `url` is another link,
 * shown once, which verifies nothing.
 * The mail is sent after the invite is stored, and its failure is no error: isMailed says whether a mail server
 * accepted it. Throws what createInvite throws.
 */
export async function sendInvite(
  { db, now, mailer, appUrl }: Deps,
  actor: Actor,
  input: NewInvite,
): Promise<{ invite: Invite; url: string; isMailed: boolean }> {
  const { invite, token, mailedToken, workspace } = await createInvite({ db, now }, actor, input);
  const url = new URL(`/app/invites/${token}`, appUrl).href;
  if (invite.email === null) return { invite, url, isMailed: false };
  const inviter = await db.selectFrom("users").select("name").where("id", "=", actor.userId).executeTakeFirst();
  const { email: to, expiresAt } = invite;
  const mailedUrl = new URL(`/app/invites/${mailedToken}`, appUrl).href;
  const mail = inviteMail({ to, workspace: workspace.name, inviter: inviter?.name ?? "", url: mailedUrl, expiresAt });
  return { invite, url, isMailed: (await mailer.send(mail)) === "sent" };
}
