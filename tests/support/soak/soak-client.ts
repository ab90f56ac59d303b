import type { Random } from "../clicks.ts";
import type { Answer } from "../server.ts";
import type { SoakWorld } from "./soak-world.ts";

/** The response of a call that may have been repeated. */
type SettledAnswer = {
  status: number;
  body: unknown;
  /** True if an earlier attempt may have been carried out, although no response came. */
  wasUncertain: boolean;
  /** True if an earlier attempt was carried out, but its response is not known: 409 for an Idempotency-Key. */
  isDoneUnseen: boolean;
};

/** A client gives up, with a violation, when a call has not succeeded for this long. */
const settleMsMax = 150_000;
const attemptMsMax = 45_000;
const pauseMs = 250;
/** The share of POST calls that are sent again after they were answered. */
const repeatedShare = 0.05;

/**
 * A client of one workspace that repeats its calls until they are answered: a POST with the same Idempotency-Key, the
 * others because they are idempotent. Its calls come one by one, so that the model knows what each one changes.
 */
export class SoakClient {
  readonly #world: SoakWorld;
  readonly #key: string;
  readonly #workspaceId: number | undefined;
  readonly #random: Random;
  #isClosing = false;

  /** With `workspaceId`, the key acts in that workspace instead of the one it was created in. */
  constructor(
    world: SoakWorld,
    { key, workspaceId }: { key: string; workspaceId?: number | undefined },
    random: Random,
  ) {
    this.#world = world;
    this.#key = key;
    this.#workspaceId = workspaceId;
    this.#random = random;
  }

  /** Gives up on calls that are not answered at the next attempt. */
  close(): void {
    this.#isClosing = true;
  }

  /** Sends a call, again and again, until the server accepts or refuses it. Throws when it does neither in time. */
  async settle(method: string, path: string, body?: unknown): Promise<SettledAnswer> {
    const { record } = this.#world;
    const headers = method === "POST" ? { "Idempotency-Key": crypto.randomUUID() } : {};
    const deadline = performance.now() + settleMsMax;
    let wasUncertain = false;
    for (;;) {
      const since = performance.now();
      const answer = await this.#attempt(method, path, body, headers);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && !isStillRunning(answer)) {
        const isDoneUnseen = method === "POST" && answer.status === 409 && wasUncertain;
        if (method === "POST" && answer.status < 300 && this.#random() < repeatedShare) {
          await this.#repeat(path, body, headers, answer);
        }
        return { status: answer.status, body: answer.body, wasUncertain, isDoneUnseen };
      }
      if (answer === undefined) record.count("calls without an answer");
      else record.count(`calls answered ${answer.status}`);
      wasUncertain ||= answer === undefined || answer.status >= 500;
      if (!this.#world.wasDisturbed(since)) {
        record.violate("calls are answered without an error of the server", { method, path, answer: answer ?? null });
      }
      if (this.#isClosing || performance.now() > deadline)
        throw new Error(`${method} ${path} was not answered in time.`);
      await Bun.sleep(pauseMs);
    }
  }

  /** Sends a reading call once; undefined when it was not answered, which is a violation without a disturbance. */
  async read(path: string): Promise<unknown> {
    const since = performance.now();
    const answer = await this.#attempt("GET", path, undefined, {});
    if (answer?.status === 200) return answer.body;
    this.#world.record.count("reads without an answer");
    if (!this.#world.wasDisturbed(since)) {
      this.#world.record.violate("reads are answered", { path, answer: answer ?? null });
    }
    return undefined;
  }

  /** Sends an answered POST again: its response must be the same. */
  async #repeat(path: string, body: unknown, headers: Record<string, string>, first: Answer): Promise<void> {
    const again = await this.#attempt("POST", path, body, headers);
    if (again === undefined || again.status >= 500 || again.status === 409) return;
    this.#world.record.count("repeated calls");
    this.#world.record.requireEqual(
      "a repeated call with an Idempotency-Key gets the first response",
      { status: again.status, body: again.body },
      { status: first.status, body: first.body },
    );
  }

  #inWorkspace(path: string): string {
    if (this.#workspaceId === undefined) return path;
    return `${path}${path.includes("?") ? "&" : "?"}workspaceId=${this.#workspaceId}`;
  }

  async #attempt(method: string, path: string, body: unknown, headers: Record<string, string>) {
    const { url, record } = this.#world;
    if (url === undefined) return undefined;
    record.count("calls");
    try {
      const response = await fetch(`${url}/v1${this.#inWorkspace(path)}`, {
        method,
        headers: { Authorization: `Bearer ${this.#key}`, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(attemptMsMax),
        keepalive: false,
      });
      const text = await response.text();
      const parsed: unknown = text === "" ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, body: parsed } satisfies Answer;
    } catch {
      // The connection ended, or the response did not come: whether the call was carried out is unknown.
      return undefined;
    }
  }
}

/** True for the 409 of a call whose first attempt is still running. */
function isStillRunning({ status, headers }: Answer): boolean {
  return status === 409 && headers.has("retry-after");
}
