/** Tables for people who sign in, besides API keys; see schema.ts. Instants are milliseconds. */

/** One-time links to set a password, and an e-mail address for users without one. */
export type SignInLinksTable = {
  hash: string;
  userId: string;
  /** The address that it was mailed to and verifies; null for a link of the first start. */
  email: string | null;
  expiresAt: number;
};

/** Sessions: browsers in which people are signed in, without their cookies' tokens. */
export type SessionsTable = {
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
};

/** Access tokens, with which sessions call the API for minutes at a time. */
export type AccessTokensTable = {
  /** SHA-256 of the token. */
  hash: string;
  sessionId: string;
  expiresAt: number;
};

/** The invites that a workspace mailed on the last day on which it mailed any. */
export type InviteMailsTable = {
  workspaceId: number;
  /** In UTC, for example 2026-11-20. */
  day: string;
  mails: number;
};
