import { type Actor, noWorkspace } from "../../access/actor.ts";
import {
  type CallOutcome,
  findCall,
  type IdempotentCall,
  insertCall,
  storedBytes,
  storeOutcome,
} from "../../access/idempotent-calls.ts";
import type { App } from "../../app.ts";
import { sha256 } from "../../base/ids.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { Problem } from "../../base/problem.ts";
import { isoTime, minuteMs } from "../../base/time.ts";
import type { Tx } from "../../database/outbox.ts";
import { withTransactionHook } from "../../database/transact.ts";
import type { UnpreparedCall } from "./current-object.ts";
import type { Endpoint } from "./endpoint.ts";
import { jsonBytes, sha256InSlices } from "./json-bytes.ts";
import { type ApiResponse, problemResponse } from "./reply.ts";

/**
 * `Idempotency-Key`: a repeated POST runs once and gets the response of the first call.
 *
 * - User, workspace, path and key identify a call; its contents are the bytes of query and body. The same key with
 *   other contents gets 422, as in the IETF draft of the header.
 * - The transaction that makes the change writes the row "done" as its first statement. So after any crash there is no
 *   change without the row and no row without the change. Of two duplicates in different processes, the second waits
 *   for the transaction of the first and then finds the row. A call never runs twice.
 * - Of two duplicates in one process, the second gets 409 with Retry-After while the first runs.
 * - A second write adds the response to the row. A process that is killed between the two writes leaves a row without a
 *   response, and so does a 5xx after the first of several transactions was committed. A repetition then gets 409: it
 *   cannot be answered and must not run.
 * - Only successes are stored. A problem (4xx, 5xx) with nothing committed leaves no row: the next attempt counts as
 *   the first.
 * - A stored response has at most responseBytesMax bytes, and those of a workspace have workspaceBytesMax bytes
 *   together. Beyond either, the row only says that the call ran, and a repetition gets 409.
 * - A response with a secret is not stored: a repetition gets 409.
 */

/** Larger responses are not stored. The one for a link has about 1 KB, the one for a bulk of 100 links about 150 KB. */
const responseBytesMax = 16 * 1024;
/**
 * The maximum bytes of responses stored for a workspace. Each process reads the sum once a minute, so several processes
 * together can exceed the maximum by the responses of that minute.
 */
const workspaceBytesMax = 16 * 1024 ** 2;
/** How long a workspace's sum is updated in memory before it is read from the database again. */
const sumLifeMs = minuteMs;
/** Workspaces whose sum is in memory. */
const sumsMax = 10_000;

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The contents of the calls that run in this process, by the id of the call. */
type Running = Map<string, string>;

/** Runs each POST once. */
export type Idempotency = ReturnType<typeof createIdempotency>;

/** Creates the function that runs a POST once; it calls `onReplay` for each repeated response. */
export function createIdempotency(app: IdempotencyDeps, onReplay: () => void) {
  const running: Running = new Map();
  const stored = new StoredBytes();

  /**
   * Runs the work, or returns the response of the first call.
   * Throws "unprocessable_entity" for a key that came with other contents, "conflict" for a key whose call is running
   * or whose response was not stored, "bad_request" for a malformed key, and what the work throws.
   */
  return async function idempotent(
    endpoint: Endpoint,
    call: CallWithBytes,
    work: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const identity = await identify(endpoint, call);
    if (identity === undefined) return await work();
    const { id, contents } = identity;
    const duplicate = running.get(id);
    if (duplicate !== undefined) throw duplicate === contents ? stillRunning() : differentContents();
    running.set(id, contents);
    try {
      const known = await findCall(app.db, id, app.now());
      if (known === undefined)
        return await runRecorded(endpoint, { app, actor: call.actor }, { ...identity, stored }, work);
      const response = replay(known, contents, endpoint);
      onReplay();
      return response;
    } finally {
      running.delete(id);
    }
  };
}

/** The parts of the app that idempotency uses. */
type IdempotencyDeps = Pick<App, "config" | "db" | "log" | "now">;

/** A call with the bytes of its body. */
type CallWithBytes = UnpreparedCall & { bytes: Uint8Array };

/** Hashes: `id` identifies the call, and `contents` its query and body. */
type Identity = { id: string; contents: string };

async function identify({ method }: Endpoint, { actor, request, query, bytes }: CallWithBytes) {
  const key = request.headers.get("idempotency-key");
  if (key === null || method !== "post") return undefined;
  if (!keyPattern.test(key)) {
    throw new Problem(
      "bad_request",
      "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID.",
    );
  }
  if (actor.workspaceId === noWorkspace) {
    throw new Problem("bad_request", "Idempotency-Key: requires a workspace, and you belong to none; leave it out.");
  }
  const path = new URL(request.url, "http://localhost").pathname;
  return {
    id: sha256(JSON.stringify([actor.userId, actor.workspaceId, path, key])),
    // Hashes the bytes, since serializing a parsed body takes longer than parsing it did.
    contents: sha256(`${sha256(JSON.stringify(query))} ${(await sha256InSlices(bytes)).toString("hex")}`),
  };
}

async function runRecorded(
  endpoint: Endpoint,
  { app, actor }: { app: IdempotencyDeps; actor: Actor },
  { id, contents, stored }: Identity & { stored: StoredBytes },
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { db, log } = app;
  const row: IdempotentCall = {
    ...{ id, contents, workspaceId: actor.workspaceId, state: "done", at: app.now() },
    ...{ status: null, body: null, bytes: 0 },
  };
  let isCommitted = false;
  let isDuplicate = false;
  const hook = {
    // No need: the row's unique id makes duplicates wait for each other.
    isRepeatableRead: false,
    async before(tx: Tx): Promise<void> {
      // A use case with several transactions has written the row in its first one.
      if (isCommitted) return;
      isDuplicate = !(await insertCall(tx, row));
      if (isDuplicate) throw stillRunning();
    },
    committed: () => {
      isCommitted = true;
    },
  };
  const response = await withTransactionHook(hook, async () => {
    try {
      return await work();
    } catch (error) {
      return problemResponse(app, error);
    }
  });
  if (isDuplicate) throw stillRunning();
  if (response.status >= 400) return response;
  try {
    const outcome = await withinQuota(await outcomeOf(endpoint, response), (bytes) =>
      stored.add(app, actor.workspaceId, bytes),
    );
    if (isCommitted) await storeOutcome(db, id, outcome);
    else await insertCall(db, { ...row, ...outcome });
  } catch (error) {
    // The change is committed, and the client must learn that. A repetition gets 409.
    log.warn("The response to a POST with an Idempotency-Key could not be stored.", { error });
  }
  return response;
}

async function outcomeOf(endpoint: Endpoint, { status, content }: ApiResponse): Promise<CallOutcome> {
  const none = { status: null, body: null, bytes: 0 };
  if (endpoint.returnsSecret === true && status < 300) return { state: "secret", ...none };
  const body = content.kind === "json" ? await jsonBytes(content.value) : undefined;
  if (body === undefined || body.byteLength > responseBytesMax) return { state: "tooLarge", ...none };
  return { state: "answered", status, body: new TextDecoder().decode(body), bytes: body.byteLength };
}

/** Returns the outcome, or "tooLarge" if the workspace has no room for its response. */
async function withinQuota(outcome: CallOutcome, hasRoom: (bytes: number) => Promise<boolean>): Promise<CallOutcome> {
  if (outcome.bytes === 0 || (await hasRoom(outcome.bytes))) return outcome;
  return { state: "tooLarge", status: null, body: null, bytes: 0 };
}

/** The bytes of stored responses by workspace: read from the database each minute, updated in memory in between. */
class StoredBytes {
  readonly #sums = new LruCache<number, { bytes: number; readAt: number }>(sumsMax);

  /** Adds bytes of a workspace and returns true; returns false if they would exceed workspaceBytesMax. */
  async add({ db, now }: Pick<App, "db" | "now">, workspaceId: number, bytes: number): Promise<boolean> {
    let sum = this.#sums.get(workspaceId);
    if (sum === undefined || now() - sum.readAt >= sumLifeMs) {
      sum = { bytes: await storedBytes(db, workspaceId), readAt: now() };
      this.#sums.set(workspaceId, sum);
    }
    if (sum.bytes + bytes > workspaceBytesMax) return false;
    sum.bytes += bytes;
    return true;
  }
}

function replay(row: IdempotentCall, contents: string, { path }: Endpoint): ApiResponse {
  if (row.contents !== contents) throw differentContents();
  if (row.state === "answered" && row.status !== null && row.body !== null) {
    return {
      status: row.status,
      content: { kind: "json", value: JSON.parse(row.body) },
      headers: { "Idempotency-Replayed": "true" },
    };
  }
  const reasons = {
    secret: "its response contained a secret, which is shown only once",
    tooLarge: "its response was too large to store",
    done: "its response is unknown, because the service failed or was stopped before it was stored",
    answered: "its response can no longer be read",
  };
  throw new Problem("conflict", `Idempotency-Key: this POST ran at ${isoTime(row.at)}, and ${reasons[row.state]}.`, {
    hint: `Check what it created (GET /v1${path.split("/{")[0]}) before you send it with another key.`,
  });
}

function stillRunning(): Problem {
  return new Problem(
    "conflict",
    "Idempotency-Key: a request with this key is still running; send it again later to get its response.",
    {
      retryAfterSeconds: 1,
    },
  );
}

function differentContents(): Problem {
  return new Problem(
    "unprocessable_entity",
    "Idempotency-Key: this key was sent before with another query or body; use a new key for each request.",
  );
}
