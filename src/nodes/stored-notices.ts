import { sql } from "kysely";
import { z } from "zod";
import { secondMs } from "../base/time.ts";
import type { StoredRange } from "../clicks/ingest.ts";
import type { Db } from "../database/database.ts";
import { endPostgresClient, openPostgresClient } from "../database/postgres-client.ts";

type Client = Awaited<ReturnType<typeof openPostgresClient>>;

const channel = "waypost_stored";
/** Workspaces of a notice; a payload of NOTIFY has at most 8,000 bytes. With more, the notice is for all workspaces. */
const workspacesMax = 500;
const retryEveryMs = secondMs;

const Notice = z.object({
  nodeId: z.string(),
  spoolId: z.string(),
  from: z.number(),
  to: z.number(),
  workspaceIds: z.union([z.array(z.number()), z.literal("any")]),
});

/** Tells the other nodes which range of a spool was stored. */
export async function announceStored(db: Db, nodeId: string, range: StoredRange): Promise<void> {
  const { workspaceIds } = range;
  const isShort = workspaceIds !== "any" && workspaceIds.length <= workspacesMax;
  const notice: z.output<typeof Notice> = {
    ...{ nodeId, spoolId: range.spoolId, from: range.from, to: range.to },
    workspaceIds: isShort ? [...workspaceIds] : "any",
  };
  await sql`select pg_notify(${channel}, ${JSON.stringify(notice)})`.execute(db);
}

/**
 * Calls `onStored` with each range that another node announces, in the order of each spool. A notice that is lost while
 * the connection is broken is made up by the next one of its spool, which begins after it.
 */
export class StoredNotices {
  readonly #url: string;
  readonly #nodeId: string;
  readonly #onStored: (range: StoredRange) => void;
  #client: Client | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(url: string, nodeId: string, onStored: (range: StoredRange) => void) {
    this.#url = url;
    this.#nodeId = nodeId;
    this.#onStored = onStored;
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await endPostgresClient(this.#client);
  }

  async #connect(): Promise<void> {
    try {
      const client = await openPostgresClient(this.#url, { keepAlive: true });
      this.#client = client;
      client.on("notification", ({ payload = "" }) => this.#take(payload));
      client.once("end", () => this.#reconnect());
      await client.query(`listen ${channel}`);
      if (this.#isClosed) await endPostgresClient(client);
    } catch {
      // PostgreSQL is down, which the calls that need it report.
      await endPostgresClient(this.#client);
      this.#reconnect();
    }
  }

  #reconnect(): void {
    this.#client = undefined;
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#connect(), retryEveryMs);
  }

  #take(payload: string): void {
    // Anyone with access to the database may notify.
    const notice = Notice.safeParse(parsed(payload));
    if (notice.success && notice.data.nodeId !== this.#nodeId) this.#onStored(notice.data);
  }
}

/** The value of a JSON text; undefined for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
