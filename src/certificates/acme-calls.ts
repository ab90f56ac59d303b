/** The calls to the thread that speaks ACME (acme-worker.ts), and their results. */

/** The failure of a call to the authority. */
export type AcmeProblem =
  /** The authority refused; `text` is what it said. `type` is the last part of the problem's URN, such as "caa". */
  | { kind: "refused"; type: string; text: string; retryAfterMs: number | null }
  /** No usable response. */
  | { kind: "unreachable"; text: string; retryAfterMs: number | null };

/** The result of a call that reaches the authority. */
export type AcmeResult<Value> = { kind: "done"; value: Value } | AcmeProblem;

/** The two ways to prove control over a name that Waypost supports. */
export type ChallengeType = "http-01" | "tls-alpn-01";

/** The account that signs a request. */
export type AcmeAccount = { accountKey: string; accountUrl: string | undefined };

/** Why an order or authorization is invalid, in the authority's words. */
type Invalid = { type: string; text: string };

/** An order at the authority. */
export type AcmeOrder = {
  url: string;
  status: "pending" | "ready" | "processing" | "valid" | "invalid";
  /** What the authority said about an invalid order. */
  problem: Invalid | null;
};

/** The answer that an authority will look for; it is the same for both types, and is shown in different ways. */
export type AcmeChallenge = {
  type: ChallengeType;
  token: string;
  keyAuthorization: string;
  /** Of a tls-alpn-01 challenge (RFC 8737): PEM texts. */
  certificate: { chain: string; privateKey: string } | null;
};

/** An authorization of an order, with the challenge to complete while it is pending. */
export type AcmeAuthorization = { url: string } & (
  | { status: "valid" }
  | { status: "invalid"; problem: Invalid }
  | { status: "pending"; challengeUrl: string; challenge: AcmeChallenge }
  /** The challenge was completed, and the authority has not decided. */
  | { status: "processing" }
);

/** What the thread needs to know of the authority. */
export type AuthorityOptions = {
  directory: string;
  /** PEM texts of the roots to trust; undefined means the system's. */
  roots: string | undefined;
  externalAccount: { keyId: string; hmacKey: string } | undefined;
};

/** TABLE of the calls to the thread. */
export type AcmeVerbs = {
  start: { argument: AuthorityOptions; result: undefined };
  close: { argument: undefined; result: undefined };
  /** The names by which CAA records allow the authority; null when it publishes none. */
  caaIdentities: { argument: undefined; result: AcmeResult<string[] | null> };
  /** Registers the account, or finds the one that the key has, and returns its URL. */
  register: { argument: AcmeAccount & { email: string | undefined }; result: AcmeResult<string> };
  createOrder: { argument: AcmeAccount & { name: string }; result: AcmeResult<AcmeOrder> };
  readOrder: { argument: AcmeAccount & { url: string }; result: AcmeResult<AcmeOrder> };
  /** The authorization of the order's only name; with `type` null, a pending one counts as processing. */
  readAuthorization: {
    argument: AcmeAccount & { orderUrl: string; type: ChallengeType | null };
    result: AcmeResult<AcmeAuthorization>;
  };
  completeChallenge: { argument: AcmeAccount & { url: string }; result: AcmeResult<null> };
  /** Asks for the certificate of a ready order. */
  finalize: { argument: AcmeAccount & { orderUrl: string; name: string; key: string }; result: AcmeResult<AcmeOrder> };
  /** The chain of a valid order, as PEM. */
  download: { argument: AcmeAccount & { orderUrl: string }; result: AcmeResult<string> };
};
