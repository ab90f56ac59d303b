import type { Selectable } from "kysely";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import type { CertificateProblemKind, CertificatesTable } from "../database/certificate-tables.ts";

/**
 * The states of a certificate and the times of its attempts; pure.
 *
 * 1. A name is tried again with back-off, so that one that cannot succeed costs the authority little. After the first
 *    failure, at most three attempts fall into one hour; Let's Encrypt allows five failed validations.
 * 2. A certificate is renewed when a third of its lifetime remains, earlier by a random part, so that certificates of
 *    one day are not renewed at one moment.
 */

/** A certificate as stored. */
export type CertificateRow = Selectable<CertificatesTable>;

/** TABLE of states. */
export const certificateStates = [
  /** DNS does not route here, or a CAA record forbids the certificate. */
  "waiting",
  "ordering",
  "valid",
  /** Valid, but the last attempt at a new one failed. */
  "renewalFailed",
  /** There is none, and the last attempt failed. */
  "failed",
  "expired",
] as const;
type CertificateState = (typeof certificateStates)[number];

const firstRetryMs = 5 * minuteMs;
const retryFactor = 3;
const retryMsMax = dayMs;
/** Waypost queries DNS more often: an owner is likely to be changing it, and it costs the authority nothing. */
const dnsRetryFactor = 1.5;
const dnsRetryMsMax = 6 * hourMs;
/** Failures that lengthen the pause; more would only overflow. */
const failuresCounted = 30;
/** The largest part by which a pause is shortened or lengthened at random. */
const retryJitter = 0.1;
/** The largest part of the lifetime by which a renewal is moved forward at random. */
const renewalJitter = 0.05;

/** The columns that decide the state. */
type StateColumns = Pick<CertificateRow, "notAfter" | "orderUrl" | "problem" | "problemKind">;

/** Returns the state of a certificate. */
export function certificateState(row: StateColumns, now: number): CertificateState {
  if (row.notAfter !== null && row.notAfter > now) return row.problem === null ? "valid" : "renewalFailed";
  if (row.notAfter !== null) return "expired";
  if (row.problemKind === "dns" || row.problemKind === "caa") return "waiting";
  return row.problem === null ? "ordering" : "failed";
}

/** Returns the pause after a number of consecutive failures; `random` is from 0 to 1. */
export function retryPauseMs(kind: CertificateProblemKind, failures: number, random: number): number {
  const [factor, pauseMsMax] =
    kind === "dns" || kind === "caa" ? [dnsRetryFactor, dnsRetryMsMax] : [retryFactor, retryMsMax];
  const pauseMs = Math.min(pauseMsMax, firstRetryMs * factor ** (Math.min(failures, failuresCounted) - 1));
  return Math.round(pauseMs * (1 + retryJitter * (2 * random - 1)));
}

/** Returns when to renew a certificate; `random` is from 0 to 1. */
export function renewalAt({ notBefore, notAfter }: { notBefore: number; notAfter: number }, random: number): number {
  const lifetimeMs = notAfter - notBefore;
  return Math.round(notAfter - lifetimeMs / 3 - renewalJitter * random * lifetimeMs);
}

/** True for a name that a public authority certifies: neither an address nor a name without a dot. */
export function isCertifiable(name: string): boolean {
  return /^(?!.*\.(localhost|local|internal)$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/.test(
    name,
  );
}
