/** TABLE of warning codes of successful calls. Clients branch on the code. */
const warningCodes = [
  /** The operator has blocked the link or domain, so visitors get a page with status 410. */
  "blocked",
  /** The link's domain is not verified, so the link does not redirect, or the primary domain, which gets no new links. */
  "domain_not_verified",
  /** The expiresAt that was sent has passed, so visitors do not reach the destination. */
  "expired",
  /** The key belonged to a deleted link; printed codes may still point to it. */
  "key_reused",
  /** The mail with the verification link for the new e-mail address was not sent; the message says why. */
  "link_not_mailed",
  /** A text was cut to the longest stored length. */
  "text_cut",
] as const;

/** A code of the table. */
type WarningCode = (typeof warningCodes)[number];

/** A note about a call that succeeded. The message is one or more English sentences. */
export type Warning = { code: WarningCode; message: string };

/** Adds a warning to the response of the current call, once. */
export type Warn = (warning: Warning) => void;
