import { checksum62, randomBase62 } from "./ids.ts";

const secretLength = 32;

/** A new API key's text: `wp_`, 32 base-62 characters and a checksum of six over them. Shown once, stored nowhere. */
export function newApiKeyText(): string {
  return newText("wp_");
}

/** A new access token's text, of the same form behind `wps_`; no key an operator would choose has its checksum. */
export function newAccessTokenText(): string {
  return newText("wps_");
}

/** Whether a text is an access token's rather than an API key's. */
export function isAccessTokenText(text: string): boolean {
  return text.startsWith("wps_") && hasChecksum(text.slice("wps_".length)) === true;
}

/** Whether a text has the form of our keys and a slip in it. Keys an operator chose in another form are none of ours. */
export function isMistypedKey(text: string): boolean {
  return text.startsWith("wp_") && hasChecksum(text.slice("wp_".length)) === false;
}

function newText(prefix: string): string {
  const secret = randomBase62(secretLength);
  return `${prefix}${secret}${checksum62(secret)}`;
}

/** Whether the checksum fits; undefined for a text of another form. */
function hasChecksum(text: string): boolean | undefined {
  const [, secret, checksum] = /^([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return secret === undefined ? undefined : checksum62(secret) === checksum;
}
