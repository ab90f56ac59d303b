import { z } from "zod";
import { newAuthenticator } from "../authenticator.ts";
import { openDashboard } from "../dashboard.ts";
import { addIdentity } from "../identities.ts";
import { codeOf } from "../one-time-codes.ts";
import type { TestService } from "../server.ts";
import { withDatabase } from "../server-database.ts";

const Begun = z.object({ secret: z.string() });
const Options = z.looseObject({ challenge: z.string(), user: z.looseObject({ id: z.string() }) });
/** The names of the passkeys. */
export const passkeyNames = ["iPhone", "Firefox on Linux"] as const;

/**
 * Turns on one-time codes for a user with passkeys and a former identity provider, and returns the cookie of their
 * session: each sign-in would need another code, so all views share this session.
 */
export async function secureAccount(
  server: TestService,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const dashboard = openDashboard(server);
  await dashboard.signIn({ email, password });
  const key = await dashboard.token();
  for (const name of passkeyNames) {
    const options = await server.call("POST", "/user/passkeys/options", { key, body: { currentPassword: password } });
    const page = { origin: server.url.replace("127.0.0.1", "localhost"), host: "localhost" };
    const body = { name, ...newAuthenticator(page).create(Options.parse(options.body)) };
    const { status } = await server.call("POST", "/user/passkeys", { key, body });
    if (status !== 201) throw new Error(`No passkey was added: ${status}.`);
  }
  await withDatabase(server, async ({ db }) => {
    const user = db.selectFrom("users").select("id").where("email", "=", email);
    await addIdentity(db, (await user.executeTakeFirstOrThrow()).id, email);
  });
  const begun = await server.call("POST", "/user/one-time-codes", { key, body: { currentPassword: password } });
  const { secret } = Begun.parse(begun.body);
  const code = codeOf(secret);
  const { status } = await server.call("POST", "/user/one-time-codes/confirm", { key, body: { code } });
  if (status !== 200) throw new Error(`One-time codes were not turned on: ${status}.`);
  return dashboard.cookie();
}
