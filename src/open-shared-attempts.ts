import type { SharedAttempts } from "./base/shared-attempts.ts";
import type { Config } from "./config.ts";
import type { Db } from "./database/database.ts";
import { instanceSecret } from "./instance-secret.ts";
import { openAttemptNotices } from "./nodes/attempt-notices.ts";

/** With PostgreSQL, what nodes and redirect workers tell each other about attempts; undefined for a process without others. */
export function openSharedAttempts(config: Config, db: Db, cleanups: (() => unknown)[]): SharedAttempts | undefined {
  const { WAYPOST_DATABASE_URL: url, WAYPOST_CLICKS_URL: clicksUrl, WAYPOST_WORKERS: workers } = config;
  if (url === undefined || (clicksUrl === undefined && workers === 0)) return undefined;
  const notices = openAttemptNotices({ url, db, secret: instanceSecret(config) });
  cleanups.push(() => notices.close());
  return notices;
}
