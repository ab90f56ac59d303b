import { linkMail } from "./link-mail.ts";
import type { Mail } from "./mailer.ts";

/** The mail to a person whose one-time codes and passkeys an operator has removed. */
export function codesRemovedMail({ to, url }: { to: string; url: string }): Mail {
  return linkMail({
    ...{ to, url },
    subject: "Your second factors were removed from your Waypost account",
    sentence:
      "An administrator removed the one-time codes and passkeys from your account, so signing in asks for no code. Set them up again here:",
    action: "Open security settings",
    closing: "If you didn’t ask for this, tell the operator of this service.",
  });
}
