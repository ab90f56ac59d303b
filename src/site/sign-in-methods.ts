import { magicLinkLifeMs } from "../access/magic-links.ts";
import { type PasskeySite, passkeySite } from "../access/passkey-site.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { providerCreatesAccounts } from "../access/sign-in-by-identity.ts";
import { type SignUpMode, signUpMode } from "../access/sign-up.ts";
import { minuteMs } from "../base/time.ts";
import type { Config } from "../config.ts";

/** How people can sign in and sign up on this instance, for the dashboard's page. */
export type SignInMethods = {
  /** False until the first person has set up a way to sign in. */
  isSetUp: boolean;
  /** How a person without an account gets one: "provider" by signing in there, "open" on the page for it. */
  signUp: SignUpMode | "provider";
  /** True when the instance can mail a link that signs in. */
  hasLinks: boolean;
  /** How long such a link works. */
  linkLifeMinutes: number;
  hasPasswords: boolean;
  /** The name of the identity provider; null without one. */
  provider: string | null;
  /** Whether passkeys work; "on" only for pages of `origin`. */
  passkeys: PasskeySite["kind"];
  /** The origin of WAYPOST_URL. */
  origin: string;
};

/** The methods that the options allow. */
export function signInMethodsOf(config: Config): Omit<SignInMethods, "isSetUp"> {
  const hasPasswords = hasPasswordSignIn(config);
  return {
    signUp: signUpWay(config),
    hasPasswords,
    linkLifeMinutes: magicLinkLifeMs / minuteMs,
    hasLinks: hasPasswords && config.WAYPOST_SMTP_URL !== undefined,
    passkeys: passkeySite(config).kind,
    origin: config.WAYPOST_URL.origin,
    provider: config.WAYPOST_OIDC_ISSUER === undefined ? null : config.WAYPOST_OIDC_NAME,
  };
}

function signUpWay(config: Config): SignInMethods["signUp"] {
  const mode = signUpMode(config);
  if (mode === "open" && hasPasswordSignIn(config)) return mode;
  return config.WAYPOST_OIDC_ISSUER !== undefined && providerCreatesAccounts(config) ? "provider" : mode;
}
