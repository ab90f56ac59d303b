import { WaypostError } from "../../../sdk/client.ts";

/**
 * Who is signed in. The cookie that says so is out of a script's reach; it buys short-lived tokens, which the API takes.
 */

type Token = { token: string; expiresAt: string; userId: string };

/** A token is renewed when it would end within this time, so that none ends on its way. */
const renewBeforeMs = 30_000;

let current: Promise<Token> | undefined;
/** Whose everything is that this page shows; undefined until somebody is known. */
let shownUserId: string | undefined;

/** A token for a call. Throws WaypostError "unauthorized" when nobody is signed in. */
export async function bearerToken(): Promise<string> {
  const known = current;
  if (known !== undefined) {
    const { token, expiresAt } = await known;
    if (Date.parse(expiresAt) - Date.now() > renewBeforeMs) return token;
    if (current === known) current = undefined;
  }
  // One purchase for all the calls of a moment.
  current ??= fetchToken();
  return (await current).token;
}

/** Forgets the token, whoever's it is. */
export function forgetToken(): void {
  current = undefined;
}

/** Forgets a token that the API no longer takes; one that was bought since stays. */
export async function forgetRefusedToken(refused: string): Promise<void> {
  const known = current;
  // Who bought it hears why that failed.
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
 * Another person has signed in by another page of this browser: what was read as the first one goes with the page, and
 * nothing is asked any more in between.
 */
function reloadPage(): Promise<never> {
  current = undefined;
  location.reload();
  return new Promise(() => {});
}

/** Whether somebody is signed in; throws for anything but a plain no. */
export async function isSignedIn(): Promise<boolean> {
  try {
    await bearerToken();
    return true;
  } catch (error) {
    if (error instanceof WaypostError && error.code === "unauthorized") return false;
    throw error;
  }
}

/** Whoever comes next sees this page as it is: what was shown to the one before is cleared by who calls. */
function forgetUser(): void {
  forgetToken();
  shownUserId = undefined;
}

/** Signs in. Throws WaypostError for a wrong e-mail or password, and after too many attempts. */
export async function signIn(email: string, password: string): Promise<void> {
  forgetUser();
  await post("/app/session", { email, password });
}

/** Ends the session in this browser. Throws when the server cannot be reached, and then the session goes on. */
export async function signOut(): Promise<void> {
  forgetUser();
  await call("DELETE", "/app/session", undefined);
}

/** Has a link mailed by which a new password can be set, if the account exists. */
export async function requestPasswordReset(email: string): Promise<void> {
  await post("/app/password-reset", { email });
}

async function post<Answer>(path: string, body: object | undefined): Promise<Answer> {
  // The shapes of these few answers are the server's own, see src/site.
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
