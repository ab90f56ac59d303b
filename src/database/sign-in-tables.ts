/** Tables for people who sign in, besides API keys; see schema.ts. Instants are milliseconds. */
import type { Generated } from "kysely";

/** These tables by name. */
export type SignInTables = {
  signInLinks: SignInLinksTable;
  magicLinks: MagicLinksTable;
  identities: IdentitiesTable;
  passkeys: PasskeysTable;
  usedChallenges: UsedChallengesTable;
  sessions: SessionsTable;
  accessTokens: AccessTokensTable;
  oneTimeCodes: OneTimeCodesTable;
  recoveryCodes: RecoveryCodesTable;
  inviteMails: InviteMailsTable;
};

/** One-time links to set a password, and an e-mail address for users without one. */
type SignInLinksTable = {
  hash: string;
  userId: string;
  /** The address that it was mailed to and verifies; null for a link of the first start. */
  email: string | null;
  expiresAt: number;
};

/** A challenge that a passkey has signed in with; see access/passkey-challenges.ts. */
type UsedChallengesTable = { challenge: string; expiresAt: number };

/** One-time links by mail that sign people in; see access/magic-links.ts. */
type MagicLinksTable = {
  /** SHA-256 of the token in the link. */
  hash: string;
  userId: string;
  /** The address that it was mailed to. */
  email: string;
  /** SHA-256 of the cookie of the browser that requested it. */
  browserHash: string;
  expiresAt: number;
  /** "provider" for a sign-in with an identity provider that still needs a code. */
  method: Generated<SignInMethod>;
};

/** Accounts of identity providers, which sign their users in. */
type IdentitiesTable = {
  issuer: string;
  subject: string;
  userId: string;
  createdAt: number;
  /** The person's address at the provider, as of the last sign-in; null if it sent none. */
  email: string | null;
  /** 1 if the provider has checked a second factor at the last sign-in; 0 for a provider of earlier options. */
  hasSecondFactor: Generated<number>;
};

/** The public keys of passkeys; see access/passkeys.ts. */
type PasskeysTable = {
  id: string;
  userId: string;
  /** The host of WAYPOST_URL for which it was made; it works on no other. */
  host: string;
  /** The authenticator's id of it, in base64url. */
  credentialId: string;
  /** A COSE key in base64url. */
  publicKey: string;
  /** How often the authenticator says it has signed; always 0 for passkeys that it synchronizes. */
  counter: number;
  name: string;
  createdAt: number;
  /** The last sign-in with it. */
  lastUsedAt: number | null;
};

/** Sessions: browsers in which people are signed in, without their cookies' tokens. */
type SessionsTable = {
  id: string;
  userId: string;
  /** SHA-256 of the cookie's token. */
  hash: string;
  /** Browser and system, by which people tell their sessions apart: "Firefox on Linux". */
  label: string;
  createdAt: number;
  /** Written at most once a minute, and expiresAt with it. */
  lastSeenAt: number;
  expiresAt: number;
  method: Generated<SignInMethod>;
  /** 1 when the person has proven more than a password in this session. */
  hasSecondFactor: Generated<number>;
  /** The passkey with which it began; null for another method. */
  passkeyId: string | null;
};

/**
 * How a session began: with a password, also with a one-time code, with a mailed link, a set-up
 * link or an invite, with the identity provider, or with a passkey.
 */
export const signInMethods = ["password", "code", "link", "provider", "passkey"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** The secrets of authenticator apps. Signing in requires a code once confirmedAt is set. */
type OneTimeCodesTable = {
  userId: string;
  /** Encrypted with the secret of the instance; see access/one-time-codes.ts. */
  sealedSecret: string;
  /** The time step of the last accepted code: only codes of later steps are accepted. */
  lastStep: number;
  confirmedAt: number | null;
};

/** Unused recovery codes; using one deletes it. */
type RecoveryCodesTable = { userId: string; hash: string };

/** Access tokens, with which sessions call the API for minutes at a time. */
type AccessTokensTable = {
  /** SHA-256 of the token. */
  hash: string;
  sessionId: string;
  expiresAt: number;
};

/** The invites that a workspace mailed on the last day on which it mailed any. */
type InviteMailsTable = {
  workspaceId: number;
  /** In UTC, for example 2026-11-20. */
  day: string;
  mails: number;
};
