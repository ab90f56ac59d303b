/**
 * Write timeout: how long a client may accept no bytes of a pending response. A waiting client occupies a connection
 * and 256 KiB, so the timeout is short, except for downloads, which people and programs may pause.
 *
 * 1. A download is a response of 200 with the header of exports, which only keys that may export receive.
 * 2. It is recognized by the first bytes after the client has sent some: the head of a response. Pipelined requests are
 *    never recognized as downloads.
 * 3. A limited number of downloads have the long timeout; others have the short one.
 */

/** Seconds without a byte; the HTTP server has the same timeout. */
const secondsMax = 30;
/** The same for a download. */
const downloadSecondsMax = 300;
/** Downloads with the long timeout; more than the exports that run at once. */
const downloadsMax = 32;
/** Bytes searched for the end of a head; the heads of exports have about 1,500. */
const headBytesMax = 8 * 1024;

/** The timeouts and the limit of downloads. Default: those above. */
export type WriteTimeoutOptions = { secondsMax?: number; downloadSecondsMax?: number; downloadsMax?: number };

/** The timeouts of a listener, and its number of downloads with the long one. */
export class DownloadLimiter {
  readonly #options: Required<WriteTimeoutOptions>;
  #count = 0;

  constructor(options: WriteTimeoutOptions = {}) {
    this.#options = { secondsMax, downloadSecondsMax, downloadsMax, ...options };
  }

  /** The write timeout. */
  seconds(isDownload: boolean): number {
    return isDownload ? this.#options.downloadSecondsMax : this.#options.secondsMax;
  }

  /** True when another download may have the long timeout; call `release` once for it. */
  tryAcquire(): boolean {
    if (this.#count >= this.#options.downloadsMax) return false;
    this.#count++;
    return true;
  }

  release(): void {
    this.#count--;
  }
}

/** The write timeout of one client, which depends on its current response. */
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

  /** Called when the client has sent bytes. */
  onRequest(): void {
    this.#isResponseExpected = true;
  }

  /** Called with the bytes of a response. */
  onResponse(bytes: Buffer): void {
    if (!this.#isResponseExpected) return;
    this.#isResponseExpected = false;
    this.end();
    this.#isDownload = isDownload(bytes) && this.#limiter.tryAcquire();
  }

  /** Called when the client disconnects or its download ends. */
  end(): void {
    if (!this.#isDownload) return;
    this.#isDownload = false;
    this.#limiter.release();
  }
}

/** True for the beginning of an export's response. */
export function isDownload(bytes: Buffer): boolean {
  const text = bytes.subarray(0, headBytesMax).toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n");
  return text.startsWith("HTTP/1.1 200 ") && headEnd > 0 && /\r\nx-clicks: /i.test(text.slice(0, headEnd));
}
