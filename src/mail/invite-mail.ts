import type { AccountMailTexts } from "./account-mail-texts.ts";
import { linkMail } from "./link-mail.ts";
import { asPhrase } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/** An invitation by mail; `inviter` is "" for a member without a name. */
type InviteContent = { to: string; workspace: string; inviter: string; url: string; expiresAt: number };

/** The mail that invites a person to a workspace. */
export function inviteMail(texts: AccountMailTexts, { to, url, ...invite }: InviteContent): Mail {
  const names = {
    workspace: asPhrase(invite.workspace),
    inviter: invite.inviter === "" ? undefined : asPhrase(invite.inviter),
    day: new Intl.DateTimeFormat(texts.language, { dateStyle: "long", timeZone: "UTC" }).format(invite.expiresAt),
  };
  return linkMail(texts, { to, url }, texts.invite(names));
}
