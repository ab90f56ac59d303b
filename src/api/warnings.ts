import type { Warning } from "../base/warning.ts";

/**
 * The warnings of one response, as its `Waypost-Warning` header.
 *
 * The value is a list of RFC 9651 (structured fields): each member is a code with the parameter `message`, a quoted
 * string of printable ASCII. Example: `domain_not_verified;message="go.example.com is not verified."`
 */

/** Warnings one response may carry; the last member says how many were left out. */
export const warningsMax = 10;
/** Characters of one message; a longer one is cut. */
export const warningCharactersMax = 400;

/** Collects the warnings of one response. */
export class Warnings {
  readonly #members = new Set<string>();
  #leftOut = 0;

  /** Adds a warning; an equal one is added once. */
  add({ code, message }: Warning): void {
    const member = memberOf(code, message);
    if (this.#members.has(member)) return;
    if (this.#members.size < warningsMax) this.#members.add(member);
    else this.#leftOut++;
  }

  /** The header field; empty while there is no warning. */
  headers(): Record<string, string> {
    if (this.#members.size === 0) return {};
    const more = this.#leftOut === 0 ? [] : [memberOf("more", `${this.#leftOut} more warnings are left out.`)];
    return { "Waypost-Warning": [...this.#members, ...more].join(", ") };
  }
}

/** Header values are bytes: characters beyond ASCII are percent-encoded, as in a URL. */
function memberOf(code: string, message: string): string {
  const ascii = message
    .slice(0, warningCharactersMax)
    .toWellFormed()
    .replace(/[^\x20-\x7e]+/g, encodeURIComponent);
  return `${code};message="${ascii.replace(/["\\]/g, "\\$&")}"`;
}
