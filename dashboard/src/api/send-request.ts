import { isOffline, reportFailedRequest, untilOnline } from "./connection.ts";
import { bearerToken, forgetRefusedToken } from "./session.ts";

/** A request. Its body is a buffer, so that it can be sent again with a new token or after the connection broke. */
type Outgoing = { url: URL; method: string; headers: Headers; signal: AbortSignal; body: ArrayBuffer };

const unauthorized = 401;
const idempotencyKey = "Idempotency-Key";
/** How often a creation is sent at most, if the connection breaks each time. */
const attemptsMax = 5;
/** The most creations without a response whose Idempotency-Keys are kept. */
const unansweredMax = 20;

/**
 * The Idempotency-Keys of creations without a response, by URL and body. When the person tries again, the same key
 * keeps the server from creating a second object.
 */
const unanswered = new Map<string, string>();

/**
 * Sends a request as the signed-in user. A change waits while the browser is offline. A creation in a workspace has an
 * Idempotency-Key, so it can be sent again after the connection broke, and takes effect once.
 */
export async function sendRequest(outgoing: Outgoing): Promise<Response> {
  if (outgoing.method === "GET" || outgoing.method === "HEAD") return await sendWithToken(outgoing);
  if (outgoing.method !== "POST" || !outgoing.url.searchParams.has("workspaceId")) {
    await untilOnline(outgoing.signal);
    return await sendWithToken(outgoing);
  }
  return await sendCreation(outgoing);
}

async function sendCreation(outgoing: Outgoing): Promise<Response> {
  const contents = `${outgoing.url} ${new TextDecoder().decode(outgoing.body)}`;
  const key = outgoing.headers.get(idempotencyKey) ?? unanswered.get(contents) ?? crypto.randomUUID();
  const headers = new Headers(outgoing.headers);
  headers.set(idempotencyKey, key);
  for (let attempt = 1; ; attempt++) {
    await untilOnline(outgoing.signal);
    try {
      const response = await sendWithToken({ ...outgoing, headers });
      unanswered.delete(contents);
      return response;
    } catch (error) {
      if (outgoing.signal.aborted) throw error;
      remember(contents, key);
      if (!isOffline() || attempt === attemptsMax) throw error;
    }
  }
}

function remember(contents: string, key: string): void {
  unanswered.delete(contents);
  unanswered.set(contents, key);
  for (const oldest of unanswered.keys()) {
    if (unanswered.size <= unansweredMax) return;
    unanswered.delete(oldest);
  }
}

/** The server may refuse a token early, for example after a restart; the request is then sent once more. */
async function sendWithToken(outgoing: Outgoing): Promise<Response> {
  const token = await bearerToken();
  const response = await send(outgoing, token);
  if (response.status !== unauthorized) return response;
  await forgetRefusedToken(token);
  return await send(outgoing, await bearerToken());
}

async function send({ url, method, headers, signal, body }: Outgoing, token: string): Promise<Response> {
  const authorized = new Headers(headers);
  authorized.set("Authorization", `Bearer ${token}`);
  try {
    return await fetch(url, { method, headers: authorized, signal, ...(body.byteLength > 0 && { body }) });
  } catch (error) {
    if (!signal.aborted) reportFailedRequest();
    throw error;
  }
}
