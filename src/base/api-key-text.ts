import { checksum62, randomBase62 } from "./ids.ts";

const secretLength = 32;

/** Returns a new API key: `wp_`, 32 base-62 characters and a checksum of six. It is shown once and stored nowhere. */
export function newApiKeyText(): string {
  return newText("wp_");
}

/** Returns a new access token: the same form after `wps_`. A key chosen by an operator does not have its checksum. */
export function newAccessTokenText(): string {
  return newText("wps_");
}

/** True for the text of an access token, false for an API key. */
export function isAccessTokenText(text: string): boolean {
  return text.startsWith("wps_") && hasChecksum(text.slice("wps_".length)) === true;
}

/**
 * True for a text that has the form of a generated key but a wrong checksum. Keys that an operator chose have another
 * form.
 */
export function isMistypedKey(text: string): boolean {
  return text.startsWith("wp_") && hasChecksum(text.slice("wp_".length)) === false;
}

function newText(prefix: string): string {
  const secret = randomBase62(secretLength);
  return `${prefix}${secret}${checksum62(secret)}`;
}

/** True when the checksum is right; undefined for a text of another form. */
function hasChecksum(text: string): boolean | undefined {
  const [, secret, checksum] = /^([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return secret === undefined ? undefined : checksum62(secret) === checksum;
}
