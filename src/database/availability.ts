import { secondMs } from "../base/time.ts";

/** How long a visitor, or a probe, waits for the database. */
export const visitorWaitMaxMs = 3 * secondMs;

/** The database has not answered in time; the query may still be under way. */
class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";
}

/** What the database answers within `maxMs`. Throws what isDatabaseUnavailable recognises when it does not. */
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

/** TABLE of the drivers' codes for a database that is busy, full, away, starting or stopping. */
const unavailableCodes = [
  /^SQLITE_(BUSY|FULL|IOERR)(_|$)/,
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  /^08...$/, // The connection failed.
  /^40(001|P01)$/, // Others stood in the transaction's way, time and again.
  /^53[123]00$/, // PostgreSQL has no disk, memory or connection left.
  /^57014$/, // A statement took longer than it may.
  /^57P0[123]$/, // PostgreSQL stops, has crashed, or is starting.
];

/** What the PostgreSQL driver says without a code. */
const unavailableTexts =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True for a failure that passes when the database can be reached again, so that another try makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    error instanceof DatabaseTimeout ||
    unavailableCodes.some((pattern) => pattern.test(code)) ||
    unavailableTexts.test(error.message)
  );
}
