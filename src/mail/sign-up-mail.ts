import { linkMail } from "./link-mail.ts";
import type { Mail } from "./mailer.ts";

/** The mail with the link that completes signing up. */
export function signUpMail({ to, url, lifeHours }: { to: string; url: string; lifeHours: number }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "Finish creating your Waypost account",
    sentence: "Someone wants to create a Waypost account with this address. If it was you, continue here:",
    action: "Create account",
    closing: `This link expires in ${lifeHours} hours. If it wasn’t you, ignore this e-mail. No account was created.`,
  });
}

/** The mail to a person who signs up with the address of an existing account. */
export function existingAccountMail({ to, url }: { to: string; url: string }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "You already have a Waypost account",
    sentence: "Someone tried to create a Waypost account with this address, which already has one. Sign in here:",
    action: "Sign in",
    closing: "If you forgot your password, set a new one on that page. If it wasn’t you, ignore this e-mail.",
  });
}
