import { linkMail } from "./link-mail.ts";
import type { Mail } from "./mailer.ts";

/** The mail with the link that signs in. */
export function magicLinkMail({ to, url, lifeMinutes }: { to: string; url: string; lifeMinutes: number }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "Sign in to Waypost",
    sentence: "Someone requested a link to sign in to your Waypost account. If it was you, sign in here:",
    action: "Sign in",
    closing: `This link works once and expires in ${lifeMinutes} minutes. If it wasn’t you, ignore this e-mail, and give the link to no one.`,
  });
}
