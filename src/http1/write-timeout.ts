/**
 * How long a client may take nothing of an answer that waits for it. Whoever may keep us waiting for long keeps a
 * connection and 256 KiB; so it is a short time, but for downloads, which a person or a program may halt and go on with.
 *
 * 1. A download is an answer of 200 with the header of exports, which only a key that may export is answered with.
 * 2. It is known by the first bytes that come after the client has sent some: the head of an answer, unless requests
 *    were sent ahead of their answers, of which none is a download.
 * 3. Only so many downloads have the long time at once; the others have the short one.
 */

/** Seconds without a byte; as long as the HTTP server waits. */
const secondsMax = 30;
/** The same of a download. */
const downloadSecondsMax = 300;
/** Downloads with that time at once; more than there are exports. */
const downloadsMax = 32;
/** What of an answer's first bytes its head is looked for in; the heads of exports have some 1,500. */
const headBytesMax = 8 * 1024;

/** The bounds; those above where one is left out. */
export type WriteTimeoutOptions = { secondsMax?: number; downloadSecondsMax?: number; downloadsMax?: number };

/** The bounds of one front, and how many downloads have the long time. */
export class DownloadLimiter {
  readonly #options: Required<WriteTimeoutOptions>;
  #count = 0;

  constructor(options: WriteTimeoutOptions = {}) {
    this.#options = { secondsMax, downloadSecondsMax, downloadsMax, ...options };
  }

  /** Seconds in which a client must take some bytes. */
  seconds(isDownload: boolean): number {
    return isDownload ? this.#options.downloadSecondsMax : this.#options.secondsMax;
  }

  /** Whether one more may have the long time; then leave follows once. */
  tryAcquire(): boolean {
    if (this.#count >= this.#options.downloadsMax) return false;
    this.#count++;
    return true;
  }

  release(): void {
    this.#count--;
  }
}

/** The time that one client has, as its answers come. */
export class WriteTimeout {
  readonly #limiter: DownloadLimiter;
  #isResponseExpected = false;
  #isDownload = false;

  constructor(limiter: DownloadLimiter) {
    this.#limiter = limiter;
  }

  get seconds(): number {
    return this.#limiter.seconds(this.#isDownload);
  }

  /** The client has sent something. */
  onRequest(): void {
    this.#isResponseExpected = true;
  }

  /** Something was answered. */
  onResponse(bytes: Buffer): void {
    if (!this.#isResponseExpected) return;
    this.#isResponseExpected = false;
    this.end();
    this.#isDownload = isDownload(bytes) && this.#limiter.tryAcquire();
  }

  /** The client is gone, or its download is over. */
  end(): void {
    if (!this.#isDownload) return;
    this.#isDownload = false;
    this.#limiter.release();
  }
}

/** Whether bytes are the beginning of an export's answer. */
export function isDownload(bytes: Buffer): boolean {
  const text = bytes.subarray(0, headBytesMax).toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n");
  return text.startsWith("HTTP/1.1 200 ") && headEnd > 0 && /\r\nx-clicks: /i.test(text.slice(0, headEnd));
}
