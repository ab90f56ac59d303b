import { magicLinkLifeMs } from "../access/magic-links.ts";
import { type SignUpMode, signUpMode } from "../access/sign-up.ts";
import { minuteMs } from "../base/time.ts";
import type { Config } from "../config.ts";

/** How people can sign in and sign up on this instance, for the dashboard's page. */
export type SignInMethods = {
  signUp: SignUpMode;
  /** True when the instance can mail a link that signs in. */
  hasLinks: boolean;
  /** How long such a link works. */
  linkLifeMinutes: number;
  hasPasswords: boolean;
  /** The name of the identity provider; null without one. */
  provider: string | null;
};

/** The methods that the options allow. */
export function signInMethodsOf(config: Config): SignInMethods {
  const hasPasswords = config.WAYPOST_PASSWORD_SIGN_IN === "on";
  return {
    signUp: signUpMode(config),
    hasPasswords,
    linkLifeMinutes: magicLinkLifeMs / minuteMs,
    hasLinks: hasPasswords && config.WAYPOST_SMTP_URL !== undefined,
    provider: config.WAYPOST_OIDC_ISSUER === undefined ? null : config.WAYPOST_OIDC_NAME,
  };
}
