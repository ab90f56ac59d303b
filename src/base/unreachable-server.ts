import { errorCode, withCauses } from "./causes.ts";
import type { OutageCause } from "./disk-failure.ts";

/** TABLE of codes for a server that is unreachable, starting or stopping. */
const codes = [
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  /^0800[01346]$/, // PostgreSQL: the connection failed.
  /^57P0[123]$/, // PostgreSQL stops, has crashed, or is starting.
];

/** What the drivers of PostgreSQL and ClickHouse say without a code. */
const driverTexts =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Timeout error\.)/;

/**
 * What PgBouncer says while PostgreSQL is away or busy. It has the code 08P01, a protocol violation, for these and for
 * settings that it refuses.
 */
const poolerTexts =
  /^(server login has been failing|server conn crashed|(server|pooler) (is )?shutting down|pgbouncer cannot connect|server DNS lookup failed|connect failed|no more connections allowed|\w+_timeout)/;

/** What the calls to our threads and processes keep of such an error: its message. */
const systemTexts =
  /^((connect|read|write|getaddrinfo) (ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)|the database system is |terminating connection due to administrator command)/;

const advice = "Start the server, or find out why this machine does not reach it. Nothing else is needed.";

/** True for a failure to reach a server, which may be back in a moment. */
export function isServerUnreachable(error: Error): boolean {
  const code = errorCode(error);
  if (code === "08P01") return poolerTexts.test(error.message);
  return (
    codes.some((pattern) => pattern.test(code)) || [driverTexts, systemTexts].some((texts) => texts.test(error.message))
  );
}

/** The unreachable server that an error or one of its causes reports; undefined for any other error. */
export function unreachableServerOf(error: unknown): OutageCause | undefined {
  for (const each of withCauses(error)) if (isServerUnreachable(each)) return { reason: each.message, advice };
  return undefined;
}
