import { type SignUpMode, signUpMode } from "../access/sign-up.ts";
import type { Config } from "../config.ts";

/** How people can sign in and sign up on this instance, for the dashboard's page. */
export type SignInMethods = {
  signUp: SignUpMode;
  /** True when the instance can mail a link that signs in. */
  hasLinks: boolean;
};

/** The methods that the options allow. */
export function signInMethodsOf(config: Config): SignInMethods {
  return { signUp: signUpMode(config), hasLinks: config.WAYPOST_SMTP_URL !== undefined };
}
