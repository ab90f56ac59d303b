import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { isConfiguredProvider } from "./configured-provider.ts";
import { type PasskeyOptions, passkeyHost } from "./passkey-site.ts";
import { hasPasswordSignIn } from "./password-sign-in.ts";

/** Ways of one user that are read: more than passkeys of a user, and one identity for each provider of the instance. */
const waysMax = 100;

/** The options that decide how people can sign in. */
export type SignInOptions = PasskeyOptions & Pick<Config, "WAYPOST_OIDC_ISSUER" | "WAYPOST_SMTP_URL">;

/** How a user can sign in with the current options. */
type WaysToSignIn = {
  hasPassword: boolean;
  /** True with an identity of the configured provider. */
  hasIdentity: boolean;
  /** The ids of the passkeys that work on this host; waysMax at most. */
  passkeyIds: string[];
  /** True if the service can mail a link that signs in. */
  hasLinks: boolean;
};

/** The ways to sign in of a user. In a transaction that removes one, the caller has locked the user. */
export async function waysToSignIn(db: Db, config: SignInOptions, userId: string): Promise<WaysToSignIn> {
  const user = await db
    .selectFrom("users")
    .select(["email", "passwordHash"])
    .where("id", "=", userId)
    .executeTakeFirst();
  const identities = await db
    .selectFrom("identities")
    .select("issuer")
    .where("userId", "=", userId)
    .limit(waysMax)
    .execute();
  const host = passkeyHost(config);
  const passkeys =
    host === undefined
      ? []
      : await db
          .selectFrom("passkeys")
          .select("id")
          .where("userId", "=", userId)
          .where("host", "=", host)
          .limit(waysMax)
          .execute();
  const hasPasswords = hasPasswordSignIn(config);
  return {
    hasPassword: hasPasswords && typeof user?.passwordHash === "string",
    hasIdentity: identities.some(({ issuer }) => isConfiguredProvider(config, issuer)),
    passkeyIds: passkeys.map(({ id }) => id),
    hasLinks: hasPasswords && config.WAYPOST_SMTP_URL !== undefined && typeof user?.email === "string",
  };
}
