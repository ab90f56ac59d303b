import { linkMail } from "./link-mail.ts";
import type { Mail } from "./mailer.ts";

/** The mail with the link that sets a new password. */
export function passwordMail({ to, url, lifeMinutes }: { to: string; url: string; lifeMinutes: number }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "Reset your Waypost password",
    sentence: "Someone requested a new password for your Waypost account. If it was you, set one here:",
    action: "Set new password",
    closing: `This link works once and expires in ${lifeMinutes} minutes. If it wasn’t you, ignore this e-mail. Your password won’t change.`,
  });
}
