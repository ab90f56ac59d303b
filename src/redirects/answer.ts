/** Header fields of an answer, by name. */
export type AnswerFields = Readonly<Record<string, string>>;

/** Allowed characters of a field's value: a line break would let a link's owner add header fields. */
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

/** The response to a visitor, as the runtime's Response or as HTTP/1.1 text. Immutable, so visitors may share one. */
export class Answer {
  readonly status: number;
  readonly fields: AnswerFields;
  readonly body: string;
  /** The status line and fields, including Content-Length, each with its line end; the caller adds the empty line. */
  readonly head: string;

  /** Only for answerOf and sendTo, which keep `head` consistent with the other properties. */
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

/** An answer with these parts. Throws when a header cannot hold a field's value. */
export function answerOf(status: number, fields: AnswerFields, body = ""): Answer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${requireSendable(name, value)}\r\n`);
  const head = `${statusLine(status)}${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return new Answer(status, fields, body, head);
}

const uncached = "private, no-store";
const endOfHead = `\r\nCache-Control: ${uncached}\r\nContent-Length: 0\r\n`;
const endOfUnindexedHead = `\r\nCache-Control: ${uncached}\r\nX-Robots-Tag: noindex\r\nContent-Length: 0\r\n`;

/**
 * A redirect to `url`. Never cached, not even 301 and 308, so that repeated visits count and changes take effect.
 * Throws when a header cannot hold the URL. The head is written directly and not built from the fields: with very many
 * links, most visits build one.
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
