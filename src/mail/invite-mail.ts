import { linkMail } from "./link-mail.ts";
import { asPhrase } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/** The mail that invites a person to a workspace. */
export function inviteMail(invite: {
  to: string;
  workspace: string;
  inviter: string;
  url: string;
  expiresAt: number;
}): Mail {
  const workspace = asPhrase(invite.workspace);
  const inviter = invite.inviter === "" ? "A member" : asPhrase(invite.inviter);
  const day = new Date(invite.expiresAt).toISOString().slice(0, 10);
  return linkMail({
    ...{ to: invite.to, url: invite.url },
    subject: `Join ${workspace} on Waypost`,
    sentence: `${inviter} invited you to the workspace ${workspace} on Waypost.`,
    action: "Accept invitation",
    closing: `This link works once and expires on ${day}. If you weren’t expecting it, you can ignore this e-mail.`,
  });
}
