import type { Warning } from "../../base/warning.ts";

/**
 * The warnings of one response, as its `Waypost-Warning` header.
 *
 * The value is a list of RFC 9651 (structured fields): each member is a code with the parameter `message`, a quoted
 * string of printable ASCII. Example: `domain_not_verified;message="go.example.com is not verified."`
 * A reverse proxy refuses a response whose header fields do not fit in its buffer, often of 4 KiB, so the header is
 * bounded as it is sent: percent-encoded, in which a character takes up to twelve bytes.
 */

/** Warnings in one response; the last member says how many were left out. */
export const warningsMax = 10;
/** Bytes of one member; a longer message is cut at a whole character. */
export const memberBytesMax = 400;
/** Bytes of the header's value. */
export const headerBytesMax = 2_048;

const separator = ", ";
/** Bytes reserved for the member that says how many were left out. */
const moreBytesMax = 64;

/** Collects the warnings of one response. */
export class Warnings {
  readonly #members = new Set<string>();
  #bytes = 0;
  #omitted = 0;

  /** Adds a warning; an equal one is added once. */
  add({ code, message }: Warning): void {
    const member = memberOf(code, message);
    if (this.#members.has(member)) return;
    const bytes = this.#bytes + member.length + separator.length;
    if (this.#members.size >= warningsMax || bytes + moreBytesMax > headerBytesMax) {
      this.#omitted++;
      return;
    }
    this.#members.add(member);
    this.#bytes = bytes;
  }

  /** The header field; empty while there is no warning. */
  headers(): Record<string, string> {
    if (this.#members.size === 0) return {};
    const more = this.#omitted === 0 ? [] : [memberOf("more", `${this.#omitted} more warnings are left out.`)];
    return { "Waypost-Warning": [...this.#members, ...more].join(separator) };
  }
}

/** Header values are bytes: characters beyond ASCII are percent-encoded, as in a URL. */
function memberOf(code: string, message: string): string {
  const [start, end] = [`${code};message="`, '"'];
  const room = memberBytesMax - start.length - end.length;
  // Each character takes at least one byte, so the rest of a long message is not encoded.
  const characters = Array.from(message.slice(0, room).toWellFormed(), encoded);
  let text = "";
  for (const character of characters) {
    if (text.length + character.length > room) break;
    text += character;
  }
  return start + text + end;
}

function encoded(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return /[\x20-\x7e]/.test(character) ? character : encodeURIComponent(character);
}
