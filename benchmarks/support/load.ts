/**
 * A closed-loop HTTP load: each connection sends its next request when the response is complete. Raw sockets and
 * prepared bytes let one core keep a server on another core busy.
 */

/** The result of a round. Latencies are in milliseconds. */
export type LoadResult = {
  requests: number;
  seconds: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  errors: number;
};

type Load = {
  port: number;
  connections: number;
  seconds: number;
  /** The bytes of the requests, chosen at random. */
  requests: readonly Buffer[];
  /** The required beginning of each response. */
  expected: string;
};

const samplesMax = 4_000_000;
const headEnd = Buffer.from("\r\n\r\n");
const lengthField = /\r\ncontent-length: *(\d+)/i;

/** Runs one round. A response without Content-Length must have no body. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const samples = new Float32Array(samplesMax);
  const expected = Buffer.from(load.expected);
  let requests = 0;
  let errors = 0;
  const startedAt = performance.now();
  const endAt = startedAt + load.seconds * 1_000;
  const finished: Promise<void>[] = [];

  for (let connection = 0; connection < load.connections; connection++) {
    const done = Promise.withResolvers<void>();
    finished.push(done.promise);
    let sentAt = 0;
    let partial: Buffer | undefined;
    const next = (socket: Bun.Socket): void => {
      sentAt = performance.now();
      const request = load.requests[Math.floor(Math.random() * load.requests.length)];
      if (sentAt >= endAt || request === undefined) socket.end();
      else socket.write(request);
    };
    await Bun.connect({
      hostname: "127.0.0.1",
      port: load.port,
      socket: {
        open: next,
        data(socket, chunk) {
          const answer = partial === undefined ? chunk : Buffer.concat([partial, chunk]);
          if (answer.length < bytesOf(answer)) {
            partial = Buffer.from(answer);
            return;
          }
          partial = undefined;
          if (requests < samplesMax) samples[requests] = performance.now() - sentAt;
          requests++;
          if (answer.compare(expected, 0, expected.length, 0, expected.length) !== 0) errors++;
          next(socket);
        },
        close: () => done.resolve(),
        error: () => done.resolve(),
      },
    });
  }
  await Promise.all(finished);
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = samples.subarray(0, Math.min(requests, samplesMax)).sort();
  const quantile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return {
    requests,
    seconds,
    perSecond: requests / seconds,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    errors,
  };
}

/** Returns the length of a response; Infinity until its head is complete. */
function bytesOf(answer: Buffer): number {
  const head = answer.indexOf(headEnd);
  if (head === -1) return Number.POSITIVE_INFINITY;
  const length = lengthField.exec(answer.toString("latin1", 0, head))?.[1] ?? "0";
  return head + headEnd.length + Number(length);
}

/** Returns the median; of an even number of values, the lower middle one. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

/** Returns a percentile: `part` is 0.95 for the 95th. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
