/** Header fields of an answer, by the name they are sent with. */
export type AnswerFields = Readonly<Record<string, string>>;

/** What may stand in a field's value: a line break would let a link's owner write header fields of their own. */
const sendable = /^[\x20-\x7e]*$/;

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  413: "Content Too Large",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
};

/**
 * What a visitor of a short link gets: as the runtime's Response, or as the bytes of HTTP/1.1 that say the same. An
 * answer that does not change may be kept and given to every visitor.
 */
export class Answer {
  readonly status: number;
  readonly fields: AnswerFields;
  readonly body: string;
  /** The status line and the fields with Content-Length, each line ended; more fields and an empty line may follow. */
  readonly head: string;

  /** For answerOf and sendTo, which see to it that `head` says what the others do. */
  constructor(status: number, fields: AnswerFields, body: string, head: string) {
    this.status = status;
    this.fields = fields;
    this.body = body;
    this.head = head;
  }

  /** The answer as a Response. */
  response(): Response {
    return new Response(this.body === "" ? null : this.body, { status: this.status, headers: this.fields });
  }
}

/** An answer of these parts. Throws when a field has a value that no header can hold. */
export function answerOf(status: number, fields: AnswerFields, body = ""): Answer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${requireSendable(name, value)}\r\n`);
  const head = `${statusLine(status)}${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return new Answer(status, fields, body, head);
}

const uncached = "private, no-store";
const endOfHead = `\r\nCache-Control: ${uncached}\r\nContent-Length: 0\r\n`;
const endOfUnindexedHead = `\r\nCache-Control: ${uncached}\r\nX-Robots-Tag: noindex\r\nContent-Length: 0\r\n`;

/**
 * Sends on to `url`. Never cached, 301 and 308 included: so that repeats are counted and a change takes effect. Throws
 * when no header can hold the url. Its head is not put together of its fields, since among very many links it is made
 * for most visits.
 */
export function sendTo(url: string, status: number, isIndexed: boolean): Answer {
  const location = requireSendable("Location", url);
  const fields = isIndexed
    ? { Location: location, "Cache-Control": uncached }
    : { Location: location, "Cache-Control": uncached, "X-Robots-Tag": "noindex" };
  const end = isIndexed ? endOfHead : endOfUnindexedHead;
  return new Answer(status, fields, "", `${statusLine(status)}Location: ${location}${end}`);
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n`;
}

function requireSendable(name: string, value: string): string {
  if (sendable.test(value)) return value;
  throw new Error(`The header field ${name} cannot hold ${JSON.stringify(value)}`);
}
