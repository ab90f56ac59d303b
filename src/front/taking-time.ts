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
const usualSecondsMax = 30;
/** The same of a download. */
const downloadSecondsMax = 300;
/** Downloads with that time at once; more than there are exports. */
const downloadsMax = 32;
/** What of an answer's first bytes its head is looked for in; the heads of exports have some 1,500. */
const headBytesMax = 8 * 1024;

/** The bounds; those above where one is left out. */
export type TakingBounds = { usualSecondsMax?: number; downloadSecondsMax?: number; downloadsMax?: number };

/** The bounds of one front, and how many downloads have the long time. */
export class Downloads {
  readonly #bounds: Required<TakingBounds>;
  #count = 0;

  constructor(bounds: TakingBounds = {}) {
    this.#bounds = { usualSecondsMax, downloadSecondsMax, downloadsMax, ...bounds };
  }

  /** Seconds in which a client must take some bytes. */
  seconds(isDownload: boolean): number {
    return isDownload ? this.#bounds.downloadSecondsMax : this.#bounds.usualSecondsMax;
  }

  /** Whether one more may have the long time; then leave follows once. */
  enter(): boolean {
    if (this.#count >= this.#bounds.downloadsMax) return false;
    this.#count++;
    return true;
  }

  leave(): void {
    this.#count--;
  }
}

/** The time that one client has, as its answers come. */
export class TakingTime {
  readonly #downloads: Downloads;
  #isAsked = false;
  #isDownload = false;

  constructor(downloads: Downloads) {
    this.#downloads = downloads;
  }

  get seconds(): number {
    return this.#downloads.seconds(this.#isDownload);
  }

  /** The client has sent something. */
  asked(): void {
    this.#isAsked = true;
  }

  /** Something was answered. */
  answered(bytes: Buffer): void {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.end();
    this.#isDownload = isDownload(bytes) && this.#downloads.enter();
  }

  /** The client is gone, or its download is over. */
  end(): void {
    if (!this.#isDownload) return;
    this.#isDownload = false;
    this.#downloads.leave();
  }
}

/** Whether bytes are the beginning of an export's answer. */
export function isDownload(bytes: Buffer): boolean {
  const text = bytes.subarray(0, headBytesMax).toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n");
  return text.startsWith("HTTP/1.1 200 ") && headEnd > 0 && /\r\nx-clicks: /i.test(text.slice(0, headEnd));
}
