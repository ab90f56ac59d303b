import type { ColumnType } from "kysely";

/** Why a certificate is not ordered or renewed; see certificates/certificate.ts. */
export type CertificateProblemKind = "dns" | "caa" | "authority" | "unreachable" | "secret";

/** Accounts at certificate authorities, one for each directory. */
export type AcmeAccountsTable = {
  /** The URL of the ACME directory. */
  directory: string;
  /** The account's private key, encrypted with WAYPOST_SECRET. */
  sealedKey: string;
  /** The account's URL at the authority; null before it is registered. */
  url: string | null;
  /** The address that the authority knows. */
  email: string | null;
  /** No orders before this time, after the authority failed or limited the account. */
  pausedUntil: number | null;
  /** Consecutive failures that concern the account, not a name. */
  failures: ColumnType<number, number | undefined, number>;
  /** What the authority said about the account. */
  problem: string | null;
  createdAt: number;
};

/** Certificates by host name, with the running order of each. A row outlives its domain by some days. */
export type CertificatesTable = {
  /** The host name, in lower-case punycode. */
  name: string;
  /** PEM, leaf first; null before the first certificate. */
  chain: string | null;
  /** The private key, encrypted with WAYPOST_SECRET; set together with `chain`. */
  sealedKey: string | null;
  notBefore: number | null;
  notAfter: number | null;
  /** The running order, which continues after a restart; null between orders. */
  orderUrl: string | null;
  /** The private key of the ordered certificate, encrypted. */
  orderKey: string | null;
  /** The answer to the running challenge, encrypted; see certificates/challenge.ts. */
  challenge: string | null;
  problemKind: CertificateProblemKind | null;
  /** Why the last attempt failed, in the authority's words where it said something. */
  problem: string | null;
  /** Consecutive failed attempts. */
  failures: ColumnType<number, number | undefined, number>;
  /** The time of the next attempt or renewal. */
  nextAt: number;
  /** The last attempt. */
  triedAt: number | null;
  /** The last order at the authority. */
  orderedAt: number | null;
  /** The workspace of that order, which counts for it even when its domain is deleted. */
  orderedFor: ColumnType<number | null, number | null | undefined, number | null>;
  createdAt: number;
  /** The last change of the chain or challenge, by which other processes find it. */
  changedAt: number;
};
