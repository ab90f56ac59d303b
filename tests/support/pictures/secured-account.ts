import { Secret, TOTP } from "otpauth";
import { z } from "zod";
import { openDashboard } from "../dashboard.ts";
import type { TestServer } from "../server.ts";

const Begun = z.object({ secret: z.string() });

/**
 * Turns on one-time codes for a user, and returns the cookie of their session: each sign-in would need another code, so
 * all views share this session.
 */
export async function secureAccount(
  server: TestServer,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const dashboard = openDashboard(server);
  await dashboard.signIn({ email, password });
  const key = await dashboard.token();
  const begun = await server.call("POST", "/user/one-time-codes", { key, body: { currentPassword: password } });
  const { secret } = Begun.parse(begun.body);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { status } = await server.call("POST", "/user/one-time-codes/confirm", { key, body: { code } });
  if (status !== 200) throw new Error(`One-time codes were not turned on: ${status}.`);
  return dashboard.cookie();
}
