import { WaypostError } from "../../../sdk/client.ts";

/**
 * The session of the signed-in user. Scripts cannot read its cookie; the cookie is exchanged for short-lived tokens,
 * which the API accepts.
 */

type Token = { token: string; expiresAt: string; userId: string };

/** A token that expires within this time is renewed, so that none expires during a request. */
const renewBeforeMs = 30_000;

let current: Promise<Token> | undefined;
/** The user whose data this page shows; undefined until one is known. */
let shownUserId: string | undefined;

/** Returns a token for a call. Throws WaypostError "unauthorized" when nobody is signed in. */
export async function bearerToken(): Promise<string> {
  const known = current;
  if (known !== undefined) {
    const { token, expiresAt } = await known;
    if (Date.parse(expiresAt) - Date.now() > renewBeforeMs) return token;
    if (current === known) current = undefined;
  }
  // Concurrent calls share one request.
  current ??= fetchToken();
  return (await current).token;
}

/** Forgets the current token. */
export function forgetToken(): void {
  current = undefined;
}

/** Forgets a token that the API refused; a newer one stays. */
export async function forgetRefusedToken(refused: string): Promise<void> {
  const known = current;
  // The caller that requested the token gets its error.
  const held = await known?.catch(() => undefined);
  if (held?.token === refused && current === known) current = undefined;
}

async function fetchToken(): Promise<Token> {
  try {
    const token = await post<Token>("/app/token", undefined);
    if (shownUserId !== undefined && shownUserId !== token.userId) return await reloadPage();
    shownUserId = token.userId;
    return token;
  } catch (error) {
    current = undefined;
    throw error;
  }
}

/**
 * Reloads the page because another user signed in from another tab, which discards the data of the first user. The
 * promise never resolves, so that no further request is sent.
 */
function reloadPage(): Promise<never> {
  current = undefined;
  location.reload();
  return new Promise(() => {});
}

/** True when a user is signed in. Throws for every failure except "unauthorized". */
export async function isSignedIn(): Promise<boolean> {
  try {
    await bearerToken();
    return true;
  } catch (error) {
    if (error instanceof WaypostError && error.code === "unauthorized") return false;
    throw error;
  }
}

/** Forgets the token and the user. The caller clears what the page shows. */
export function forgetUser(): void {
  forgetToken();
  shownUserId = undefined;
}

/** What a person signs in with; `code` is a one-time code or a recovery code. */
export type Credentials = { email: string; password: string; code?: string };

/**
 * Signs in, or returns "code" when the account needs a code, too. Throws WaypostError for wrong credentials, and after
 * too many attempts.
 */
export async function signIn(credentials: Credentials): Promise<"done" | "code"> {
  forgetUser();
  const answer = await post<{ needs?: "code" }>("/app/session", credentials);
  return answer.needs ?? "done";
}

/** Ends the session in this browser. Throws when the server cannot be reached; the session then continues. */
export async function signOut(): Promise<void> {
  forgetUser();
  await call("DELETE", "/app/session", undefined);
}

/** Requests a mail with a link to set a new password, if the account exists. */
export async function requestPasswordReset(email: string): Promise<void> {
  await post("/app/password-reset", { email });
}

/** Requests a mail with a link that signs in and opens `next`, if the account exists. */
export async function requestMagicLink(email: string, next: string | undefined): Promise<void> {
  await post("/app/magic-link", { email, next });
}

/** Sends a request to one of the service's sign-in operations. Throws WaypostError for a refusal. */
export async function post<Answer>(path: string, body: object | undefined): Promise<Answer> {
  // The server defines the shapes of these few responses: see src/site.
  return (await call("POST", path, body)) as Answer;
}

async function call(method: string, path: string, body: object | undefined): Promise<unknown> {
  const response = await fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw WaypostError.from(response, answer);
  return answer;
}
