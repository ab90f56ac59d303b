import { secondMs } from "../base/time.ts";
import { endPostgresClient, openPostgresClient } from "../database/postgres-client.ts";

type Client = Awaited<ReturnType<typeof openPostgresClient>>;

const retryEveryMs = secondMs;
/** Interval of the checks of the connection, and how long each waits: without them, a silent one would stay for hours. */
const checkEveryMs = 10 * secondMs;
const queryTimeoutMs = 5 * secondMs;

/**
 * Calls `onNotice` with the JSON of each NOTIFY on a channel; undefined for other texts, since anyone with access to the
 * database may notify. Connects again when the connection is broken; notices in between are lost.
 */
export class NoticeListener {
  readonly #url: string;
  readonly #channel: string;
  readonly #onNotice: (payload: unknown) => void;
  #client: Client | undefined;
  #timer: Timer | undefined;
  readonly #checking: Timer;
  #isClosed = false;

  constructor(url: string, channel: string, onNotice: (payload: unknown) => void) {
    this.#url = url;
    this.#channel = channel;
    this.#onNotice = onNotice;
    this.#checking = setInterval(() => void this.#check(), checkEveryMs);
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checking);
    clearTimeout(this.#timer);
    await endPostgresClient(this.#client);
  }

  async #connect(): Promise<void> {
    try {
      const client = await openPostgresClient(this.#url, { keepAlive: true, query_timeout: queryTimeoutMs });
      this.#client = client;
      client.on("notification", ({ payload = "" }) => this.#onNotice(parsed(payload)));
      client.once("end", () => this.#reconnect());
      await client.query(`listen ${this.#channel}`);
      if (this.#isClosed) await endPostgresClient(client);
    } catch {
      // PostgreSQL is down, which the calls that need it report.
      await endPostgresClient(this.#client);
      this.#reconnect();
    }
  }

  /** Closes a connection that no longer answers; its end connects again. */
  async #check(): Promise<void> {
    const client = this.#client;
    await client?.query("select 1").catch(() => endPostgresClient(client));
  }

  #reconnect(): void {
    this.#client = undefined;
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#connect(), retryEveryMs);
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
