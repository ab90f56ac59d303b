import { checksum62, randomBase62 } from "./ids.ts";

const secretLength = 32;

/** A new API key's text: `wp_`, 32 base-62 characters and a checksum of six over them. Shown once, stored nowhere. */
export function newApiKeyText(): string {
  const secret = randomBase62(secretLength);
  return `wp_${secret}${checksum62(secret)}`;
}

/** Whether a text has the form of our keys and a slip in it. Keys an operator chose in another form are none of ours. */
export function isMistypedKey(text: string): boolean {
  const [, secret, checksum] = /^wp_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return secret !== undefined && checksum62(secret) !== checksum;
}
