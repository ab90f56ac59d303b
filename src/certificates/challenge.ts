import { z } from "zod";
import type { AcmeChallenge } from "./acme-calls.ts";

const Stored = z.object({
  type: z.enum(["http-01", "tls-alpn-01"]),
  token: z.string(),
  keyAuthorization: z.string(),
  certificate: z.object({ chain: z.string(), privateKey: z.string() }).nullable(),
}) satisfies z.ZodType<AcmeChallenge>;

/** Formats a challenge as the text that is sealed. */
export function formatChallenge(challenge: AcmeChallenge): string {
  return JSON.stringify(challenge);
}

/** Parses the text of formatChallenge. */
export function parseChallenge(text: string): AcmeChallenge {
  return Stored.parse(JSON.parse(text));
}
