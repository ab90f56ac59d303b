import { z } from "@hono/zod-openapi";
import { beginPasskeySignIn, signInByPasskey } from "../access/sign-in-by-passkey.ts";
import { bodyLimits, readJson } from "../api/http/json-body.ts";
import { parse } from "../api/http/prepare.ts";
import type { App } from "../app.ts";
import { networkOf } from "../base/network.ts";
import { clientAddress } from "./client-address.ts";
import { counted } from "./counted-sign-in.ts";
import type { SessionAnswer, SessionRequest } from "./session-answer.ts";
import { sessionCookieHeader } from "./session-cookie.ts";
import { pageLanguage } from "./sign-in-texts.ts";

type Deps = Pick<App, "attempts" | "config" | "db" | "log" | "metrics" | "now" | "passkeyChallenges" | "redirects">;

/** The limit of the body bounds the fields. */
const PasskeyResponse = z.object({
  id: z.string(),
  clientDataJSON: z.string(),
  authenticatorData: z.string(),
  signature: z.string(),
  userHandle: z.string(),
});

/** The options with which a browser asks for a passkey of this instance. */
export async function passkeyOptions(app: Deps, { request, peer }: SessionRequest): Promise<SessionAnswer> {
  const network = networkOf(clientAddress(app, request, peer));
  app.attempts.passkeyChallenge.take({ address: undefined, account: network });
  return { status: 200, content: { kind: "json", value: beginPasskeySignIn(app) }, headers: {} };
}

/** Signs in with a passkey, which needs no code. */
export async function signInWithPasskey(app: Deps, { request, peer }: SessionRequest): Promise<SessionAnswer> {
  const response = parse(PasskeyResponse, (await readJson(request, bodyLimits.public)).value);
  const address = clientAddress(app, request, peer);
  const userAgent = request.headers.get("user-agent") ?? "";
  const language = pageLanguage(request);
  const { db, now, log, config, passkeyChallenges } = app;
  const deps = { db, now, log, config, passkeyChallenges, limits: app.attempts.passkey };
  const token = await signInByPasskey(deps, { address, userAgent, language }, response).catch((error: unknown) => {
    throw counted(app, error);
  });
  app.metrics.signIns.inc({ outcome: "succeeded" });
  return { status: 204, content: { kind: "none" }, headers: sessionCookieHeader(app, token) };
}
