import { secondMs } from "../base/time.ts";
import { movedText } from "./moved.ts";

/** How long a visitor, or a probe, waits for the database. */
export const visitorWaitMaxMs = 3 * secondMs;

/** Thrown when the database does not answer in time; the query may still be running. */
class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";
}

/**
 * The database's answer, awaited for `maxMs` at most. On timeout, throws an error that isDatabaseUnavailable
 * recognizes.
 */
export async function withTimeout<Value>(maxMs: number, answer: Promise<Value>): Promise<Value> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new DatabaseTimeout(`The database did not answer within ${maxMs} ms.`)),
    maxMs,
  );
  try {
    return await Promise.race([answer, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** TABLE of the drivers' codes for a database that is busy, full, unreachable, starting or stopping. */
const unavailableCodes = [
  /^SQLITE_(BUSY|FULL|IOERR)(_|$)/,
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  /^08...$/, // The connection failed.
  /^40(001|P01)$/, // Other transactions conflicted, again and again.
  /^53[123]00$/, // PostgreSQL has run out of disk, memory or connections.
  /^57014$/, // A statement timed out.
  /^57P0[123]$/, // PostgreSQL stops, has crashed, or is starting.
];

/** The PostgreSQL driver's messages without a code. */
const unavailableTexts =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True for a failure that ends when the database is reachable again, so that a retry makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    error instanceof DatabaseTimeout ||
    unavailableCodes.some((pattern) => pattern.test(code)) ||
    unavailableTexts.test(error.message) ||
    // The next start of the service uses the other database.
    error.message.includes(movedText)
  );
}
