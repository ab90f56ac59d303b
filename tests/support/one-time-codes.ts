import { Secret, TOTP } from "otpauth";

const periodMs = 30_000;

/**
 * The one-time code of an authenticator app; `periods` later than now. The server accepts the codes beside the present
 * one, each code once. So a test confirms with the present code and then signs in with the next one: both are right even
 * when a period ends before the server checks them.
 */
export function codeOf(secret: string, periods = 0): string {
  const timestamp = Date.now() + periods * periodMs;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}
