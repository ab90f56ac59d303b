import { createHmac, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { CountedAttempt, SharedAttempts } from "../base/shared-attempts.ts";
import type { Db } from "../database/database.ts";
import { NoticeListener } from "./notice-listener.ts";

const channel = "waypost_attempts";
/** Announcements on their way at once; each process counts more than these alone. */
const announcementsMax = 100;

const Notice = z.object({
  processId: z.string(),
  limits: z.string(),
  keys: z.record(z.string(), z.string()),
});

/** The database of all processes, and the secret that they have in common. */
type AttemptNoticesOptions = { url: string; db: Db; secret: string };

/**
 * Shares attempts among the processes of a database by NOTIFY, which stores nothing. Addresses and accounts are hashed with a
 * key, so that the database learns neither.
 */
export function openAttemptNotices({ url, db, secret }: AttemptNoticesOptions): SharedAttempts & {
  close(): Promise<void>;
} {
  const processId = randomUUID();
  const counts = new Map<string, (keys: CountedAttempt["keys"]) => void>();
  const listener = new NoticeListener(url, channel, (payload) => {
    const notice = Notice.safeParse(payload);
    if (notice.success && notice.data.processId !== processId) counts.get(notice.data.limits)?.(notice.data.keys);
  });
  let running = 0;
  return {
    hash: (text) => createHmac("sha256", secret).update(`attempt ${text}`).digest("base64url"),
    announce({ limits, keys }) {
      if (running === announcementsMax) return;
      running++;
      const notice: z.output<typeof Notice> = { processId, limits, keys };
      sql`select pg_notify(${channel}, ${JSON.stringify(notice)})`
        .execute(db)
        // Without the database, this process counts its own attempts.
        .catch(() => {})
        .finally(() => running--);
    },
    onAnnounced: (limits, count) => counts.set(limits, count),
    close: () => listener.close(),
  };
}
