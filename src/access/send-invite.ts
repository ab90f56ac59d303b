import type { Db } from "../database/database.ts";
import { inviteMail } from "../mail/invite-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Actor } from "./actor.ts";
import type { Attempts } from "./attempts.ts";
import { createInvite, type Invite, type NewInvite } from "./invites.ts";
import { mailTextsOf } from "./mail-texts-of.ts";
import { normalizeEmail } from "./users.ts";

type Deps = {
  db: Db;
  now: () => number;
  mailer: Mailer;
  appUrl: URL;
  attempts: Pick<Attempts, "invitedAddress" | "inviter">;
};

/**
 * Creates an invite and, if it names an address, mails a link there, which verifies the address. `url` is another link,
 * shown once, which verifies nothing.
 * The mail is in the language of the inviter. It is sent after the invite is stored. A failure to send it does not throw:
 * isMailed says whether a mail server accepted it.
 * Throws what createInvite throws, and "rate_limit_exceeded" after too many mails to the address, or by the user.
 */
export async function sendInvite(
  { db, now, mailer, appUrl, attempts }: Deps,
  actor: Actor,
  input: NewInvite,
): Promise<{ invite: Invite; url: string; isMailed: boolean }> {
  const giveBack = mailer.hasServer ? countMail(attempts, actor, input.email) : () => {};
  const created = await createInvite({ db, now }, actor, input).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const { invite, token, mailedToken, workspace } = created;
  const url = new URL(`/app/invites/${token}`, appUrl).href;
  if (invite.email === null) return { invite, url, isMailed: false };
  const inviter = await db.selectFrom("users").select("name").where("id", "=", actor.userId).executeTakeFirst();
  const { email: to, expiresAt } = invite;
  const mailedUrl = new URL(`/app/invites/${mailedToken}`, appUrl).href;
  const content = { to, workspace: workspace.name, inviter: inviter?.name ?? "", url: mailedUrl, expiresAt };
  const mail = inviteMail(await mailTextsOf(db, actor.userId), content);
  return { invite, url, isMailed: (await mailer.send(mail)) === "sent" };
}

/** Counts a mail to this address, and returns a function that takes it back. Throws "rate_limit_exceeded". */
function countMail({ invitedAddress, inviter }: Deps["attempts"], { userId }: Actor, email: string | null): () => void {
  const to = email === null ? undefined : normalizeEmail(email);
  if (to === undefined) return () => {};
  const byUser = inviter.take({ address: undefined, account: userId });
  try {
    const toAddress = invitedAddress.take({ address: undefined, account: to });
    return () => {
      byUser();
      toAddress();
    };
  } catch (error) {
    byUser();
    throw error;
  }
}
