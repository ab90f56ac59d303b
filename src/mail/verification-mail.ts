import { linkMail } from "./link-mail.ts";
import type { Mail } from "./mailer.ts";

/** The mail with the link that verifies the new e-mail address of an account. */
export function verificationMail({ to, url, lifeHours }: { to: string; url: string; lifeHours: number }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "Verify your e-mail address for Waypost",
    sentence: "This is now the e-mail address of a Waypost account. Verify that it’s yours:",
    action: "Verify e-mail address",
    closing: `This link works once and expires in ${lifeHours} hours. If you didn’t change your address, ignore this e-mail.`,
  });
}
