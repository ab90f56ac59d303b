import { withCauses } from "./causes.ts";
import type { OutageCause } from "./disk-failure.ts";

/** What an operator checks when ClickHouse cannot be used. */
export const clickHouseAdvice =
  "Check WAYPOST_CLICKS_URL, and that ClickHouse runs, has the database, and accepts the user and password.";

/** What ClickHouse says to a wrong URL, user or password, and what Waypost says about a ClickHouse that it cannot use. */
const texts =
  /^(\S+: Authentication failed|Database \S+ does not exist|\S+: Not enough privileges|error:\w+:SSL routines|This ClickHouse .* is too old|ClickHouse has clicks of)/;

/** The ClickHouse that refuses to be used, as an error or one of its causes reports; undefined for any other error. */
export function refusingClickHouseOf(error: unknown): OutageCause | undefined {
  for (const { message } of withCauses(error)) {
    if (texts.test(message)) return { reason: message.trim(), advice: clickHouseAdvice };
  }
  return undefined;
}
