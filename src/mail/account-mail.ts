import { linkMail } from "./link-mail.ts";
import { asPhrase } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/** A change of how a person signs in, which they must learn of in case another person made it. */
export type AccountChange =
  /** `email` is the address at the provider. */
  | { kind: "identityConnected"; provider: string; email: string | null }
  | { kind: "identityDisconnected"; provider: string }
  /** `name` is the passkey's, which the person has chosen. */
  | { kind: "passkeyAdded"; name: string }
  | { kind: "passkeyRemoved"; name: string }
  /** `email` is the new address; the mail goes to the earlier one. */
  | { kind: "emailChanged"; email: string }
  | { kind: "passwordChanged" };

/** The mail to a person whose account was changed; `url` is the page with their security settings. */
export function accountMail({ to, url, change }: { to: string; url: string; change: AccountChange }): Mail {
  return linkMail({ to, url, action: "Open security settings", ...textsOf(change) });
}

function textsOf(change: AccountChange): { subject: string; sentence: string; closing: string } {
  switch (change.kind) {
    case "identityConnected": {
      const [provider, as] = [asPhrase(change.provider), change.email === null ? "" : ` as ${change.email}`];
      return {
        subject: `${provider} now signs you in to Waypost`,
        sentence: `Signing in with ${provider}${as} was connected to your Waypost account.`,
        closing: `If you didn’t do this, disconnect ${provider} in your security settings, and tell the operator of this service.`,
      };
    }
    case "identityDisconnected": {
      const provider = asPhrase(change.provider);
      return {
        subject: `${provider} no longer signs you in to Waypost`,
        sentence: `Signing in with ${provider} was disconnected from your Waypost account.`,
        closing: "If you didn’t do this, tell the operator of this service.",
      };
    }
    case "passkeyAdded":
      return {
        subject: "A passkey was added to your Waypost account",
        sentence: `The passkey “${asPhrase(change.name)}” was added to your Waypost account. It signs in without your password and a code.`,
        closing:
          "If you didn’t do this, remove the passkey in your security settings, change your password, sign out all other browsers, and tell the operator of this service.",
      };
    case "passkeyRemoved":
      return {
        subject: "A passkey was removed from your Waypost account",
        sentence: `The passkey “${asPhrase(change.name)}” was removed from your Waypost account, and no longer signs in.`,
        closing:
          "If you didn’t do this, change your password, sign out all other browsers in your security settings, and tell the operator of this service.",
      };
    case "emailChanged":
      return {
        subject: "The e-mail address of your Waypost account was changed",
        sentence: `The e-mail address of your Waypost account is now ${change.email}. Later mails go there.`,
        closing:
          "If you didn’t do this, sign in, change the address back, and set another password. If you can’t sign in, tell the operator of this service.",
      };
    case "passwordChanged":
      return {
        subject: "The password of your Waypost account was changed",
        sentence: "The password of your Waypost account was changed. Other browsers were signed out.",
        closing:
          "If you didn’t do this, choose “Forgot your password?” on the sign-in page to set another one, and tell the operator of this service.",
      };
  }
}
