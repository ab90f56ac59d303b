import { errorCode } from "../base/causes.ts";
import { secondMs } from "../base/time.ts";
import { isServerUnreachable } from "../base/unreachable-server.ts";
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

/** TABLE of codes for a database that is busy or full. */
const busyCodes = [
  /^SQLITE_(BUSY|FULL|IOERR)(_|$)/,
  /^40(001|P01)$/, // Other transactions conflicted, again and again.
  /^53[123]00$/, // PostgreSQL has run out of disk, memory or connections.
  /^57014$/, // A statement timed out.
];

/** True for a failure to reach the database, which may be back in a moment. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseTimeout || (error instanceof Error && isServerUnreachable(error));
}

/** True for a failure that ends when the database is reachable again, so that a retry makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isDatabaseAway(error) || busyCodes.some((code) => code.test(errorCode(error))) || isDatabaseMoved(error);
}

/** True for a change of a database that was moved while the service ran; the next start uses the other one. */
export function isDatabaseMoved(error: unknown): boolean {
  return error instanceof Error && error.message.includes(movedText);
}
