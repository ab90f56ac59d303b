/** Tables of the ways in that people have, beside the keys of programs; see schema.ts. Instants are milliseconds. */

/** One-time links by which a person sets a password, and an e-mail address if there is none. */
export type SignInLinksTable = {
  hash: string;
  userId: string;
  /** The address that it was mailed to, and verifies when it is used; null for a link of the first start. */
  email: string | null;
  expiresAt: number;
};

/** Browsers in which people are signed in, without what their cookies say. */
export type SessionsTable = {
  id: string;
  userId: string;
  /** SHA-256 of the cookie's token. */
  hash: string;
  /** Browser and system, for people to tell their sessions apart: "Firefox on Linux". */
  label: string;
  createdAt: number;
  /** Written at most once a minute, and expiresAt with it. */
  lastSeenAt: number;
  expiresAt: number;
};

/** What sessions call the API with, for minutes at a time. */
export type AccessTokensTable = {
  /** SHA-256 of the token. */
  hash: string;
  sessionId: string;
  expiresAt: number;
};
