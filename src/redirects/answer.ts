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
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/**
 * What a visitor of a short link gets: as the runtime's Response, or as the bytes of HTTP/1.1 that say the same. An
 * answer that does not change may be kept and given to every visitor; its text is put together once.
 */
export class Answer {
  readonly status: number;
  readonly fields: AnswerFields;
  readonly body: string;
  #head: string | undefined;

  /** Throws when a field has a value that no header can hold. */
  constructor(status: number, fields: AnswerFields, body = "") {
    for (const [name, value] of Object.entries(fields)) {
      if (!sendable.test(value)) throw new Error(`The header field ${name} cannot hold ${JSON.stringify(value)}`);
    }
    this.status = status;
    this.fields = fields;
    this.body = body;
  }

  /** The status line and the fields with Content-Length, each line ended; more fields and an empty line may follow. */
  get head(): string {
    this.#head ??= this.#writeHead();
    return this.#head;
  }

  /** The answer as a Response. */
  response(): Response {
    return new Response(this.body === "" ? null : this.body, { status: this.status, headers: this.fields });
  }

  #writeHead(): string {
    const fields = Object.entries(this.fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = `Content-Length: ${Buffer.byteLength(this.body)}\r\n`;
    return `HTTP/1.1 ${this.status} ${reasons[this.status] ?? ""}\r\n${fields.join("")}${length}`;
  }
}

/** Sends on to `url`. Never cached, 301 and 308 included: so that repeats are counted and a change takes effect. */
export function sendTo(url: string, status: number, isIndexed: boolean): Answer {
  const fields = { Location: url, "Cache-Control": "private, no-store" };
  return new Answer(status, isIndexed ? fields : { ...fields, "X-Robots-Tag": "noindex" });
}
