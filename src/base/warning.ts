/** TABLE of warning codes: what a successful call may have to say beside its result. Clients branch on the code. */
export const warningCodes = [
  /** The operator has blocked the link or domain, so visitors get a page with 410. */
  "blocked",
  /** The link's domain is not verified, so the link does not redirect. */
  "domain_not_verified",
  /** The expiresAt that was sent has passed, so visitors do not reach the destination. */
  "expired",
  /** The key belonged to a deleted link; printed codes may still point to it. */
  "key_reused",
  /** The link that verifies the new e-mail address was not mailed; the message says why. */
  "link_not_mailed",
  /** A text was cut to the longest that is stored. */
  "text_cut",
] as const;

/** A code of the table. */
export type WarningCode = (typeof warningCodes)[number];

/** Something that the caller should know about a call that succeeds. The message is one English sentence or more. */
export type Warning = { code: WarningCode; message: string };

/** Adds a warning to the response of the current call. Adding an equal one again changes nothing. */
export type Warn = (warning: Warning) => void;
