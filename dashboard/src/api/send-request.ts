import { isOffline, reportFailedRequest, untilOnline } from "./connection.ts";
import { bearerToken, forgetRefusedToken } from "./session.ts";

/** A request. Its body is a buffer, so that it can be sent again with a new token or after the connection broke. */
type ApiRequest = { url: URL; method: string; headers: Headers; signal: AbortSignal; body: ArrayBuffer };

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
export async function sendRequest(request: ApiRequest): Promise<Response> {
  if (request.method === "GET" || request.method === "HEAD") return await sendWithToken(request);
  if (request.method !== "POST" || !request.url.searchParams.has("workspaceId")) {
    await untilOnline(request.signal);
    return await sendWithToken(request);
  }
  return await sendCreation(request);
}

async function sendCreation(request: ApiRequest): Promise<Response> {
  const contents = `${request.url} ${new TextDecoder().decode(request.body)}`;
  const key = request.headers.get(idempotencyKey) ?? unanswered.get(contents) ?? crypto.randomUUID();
  const headers = new Headers(request.headers);
  headers.set(idempotencyKey, key);
  for (let attempt = 1; ; attempt++) {
    await untilOnline(request.signal);
    try {
      const response = await sendWithToken({ ...request, headers });
      unanswered.delete(contents);
      return response;
    } catch (error) {
      if (request.signal.aborted) throw error;
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
async function sendWithToken(request: ApiRequest): Promise<Response> {
  const token = await bearerToken();
  const response = await send(request, token);
  if (response.status !== unauthorized) return response;
  await forgetRefusedToken(token);
  return await send(request, await bearerToken());
}

async function send({ url, method, headers, signal, body }: ApiRequest, token: string): Promise<Response> {
  const authorized = new Headers(headers);
  authorized.set("Authorization", `Bearer ${token}`);
  try {
    return await fetch(url, { method, headers: authorized, signal, ...(body.byteLength > 0 && { body }) });
  } catch (error) {
    if (!signal.aborted) reportFailedRequest();
    throw error;
  }
}
