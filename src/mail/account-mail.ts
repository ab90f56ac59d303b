import { type AccountMailTexts, accountMailTexts, type ChangeTexts } from "./account-mail-texts.ts";
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
export function accountMail(
  texts: AccountMailTexts,
  { to, url, change }: { to: string; url: string; change: AccountChange },
): Mail {
  const english = textsOf(accountMailTexts("en"), change);
  return linkMail(texts, { to, url }, { action: texts.openSecurity, ...textsOf(texts, change) }, english);
}

function textsOf(texts: AccountMailTexts, change: AccountChange): ChangeTexts {
  switch (change.kind) {
    case "identityConnected":
      return texts.identityConnected(asPhrase(change.provider), change.email ?? undefined);
    case "identityDisconnected":
      return texts.identityDisconnected(asPhrase(change.provider));
    case "passkeyAdded":
      return texts.passkeyAdded(asPhrase(change.name));
    case "passkeyRemoved":
      return texts.passkeyRemoved(asPhrase(change.name));
    case "emailChanged":
      return texts.emailChanged(change.email);
    case "passwordChanged":
      return texts.passwordChanged;
  }
}
