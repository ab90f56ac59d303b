import { secondMs } from "../base/time.ts";
import { endPostgresClient, openPostgresClient } from "../database/postgres-client.ts";

type Client = Awaited<ReturnType<typeof openPostgresClient>>;

const retryEveryMs = secondMs;

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
  #isClosed = false;

  constructor(url: string, channel: string, onNotice: (payload: unknown) => void) {
    this.#url = url;
    this.#channel = channel;
    this.#onNotice = onNotice;
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
