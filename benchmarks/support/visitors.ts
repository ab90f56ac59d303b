/**
 * Visitors in a separate process: `visitors.ts '{"port":…}'` prints one line of JSON with the result.
 * A flood is a closed loop: each of many connections sends its next request when it has the response. A probe is an
 * open loop: it sends requests at a fixed rate on few connections, and so measures the latency of other visitors.
 */
import { percentile } from "./load.ts";

/** The behavior of visitors. */
export type VisitPlan = {
  port: number;
  host: string;
  connections: number;
  seconds: number;
  /** Requests per second of a probe; 0 for a flood. */
  perSecond: number;
  /** Keys: "key7" of this number of links, or unknown keys. */
  keys: { kind: "known"; count: number } | { kind: "unknown" };
  /** The number of pipelined requests per connection. */
  ahead: number;
};

/** The result; times are in milliseconds. */
export type VisitResult = {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
  worst: number;
  statuses: Record<string, number>;
};

type Visitor = { socket: Bun.Socket<Visitor>; sentAt: number[]; unparsed: string };

const agent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
const connectedAtOnce = 200;
const lastAnswerMaxMs = 2_000;

const plan: VisitPlan = JSON.parse(process.argv[2] ?? "{}");
console.log(JSON.stringify(await visit(plan)));
process.exit(0);

async function visit(plan: VisitPlan): Promise<VisitResult> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let isOver = false;

  const send = (visitor: Visitor, count = 1) => {
    visitor.sentAt.push(...Array<number>(count).fill(performance.now()));
    visitor.socket.write(Array.from({ length: count }, () => requestOf(plan)).join(""));
  };
  const visitors: Visitor[] = [];
  while (visitors.length < plan.connections) {
    const more = Math.min(connectedAtOnce, plan.connections - visitors.length);
    visitors.push(...(await Promise.all(Array.from({ length: more }, () => connect(plan.port, receive)))));
  }
  function receive(visitor: Visitor, text: string): void {
    const answers = readAnswers(visitor, text);
    for (const status of answers) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      times.push(performance.now() - (visitor.sentAt.shift() ?? Number.NaN));
    }
    if (plan.perSecond === 0 && !isOver && answers.length > 0) send(visitor, answers.length);
  }

  const startedAt = performance.now();
  if (plan.perSecond === 0) {
    for (const visitor of visitors) send(visitor, plan.ahead);
    await Bun.sleep(plan.seconds * 1_000);
  } else {
    await pace(plan, (number) => send(visitors[number % visitors.length] as Visitor));
  }
  isOver = true;
  const seconds = (performance.now() - startedAt) / 1_000;
  const answered = times.length;
  const deadline = performance.now() + lastAnswerMaxMs;
  while (visitors.some(({ sentAt }) => sentAt.length > 0) && performance.now() < deadline) await Bun.sleep(5);
  for (const { sentAt } of visitors) times.push(...sentAt.map((at) => performance.now() - at));
  return {
    answered,
    perSecond: answered / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    worst: percentile(times, 1),
    statuses,
  };
}

async function pace({ perSecond, seconds }: VisitPlan, send: (number: number) => void): Promise<void> {
  const startedAt = performance.now();
  for (let number = 0; number < perSecond * seconds; number++) {
    const waitMs = startedAt + (number * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    send(number);
  }
}

async function connect(port: number, receive: (visitor: Visitor, text: string) => void): Promise<Visitor> {
  const opened = Promise.withResolvers<Visitor>();
  await Bun.connect<Visitor>({
    hostname: "127.0.0.1",
    port,
    socket: {
      open(socket) {
        socket.data = { socket, sentAt: [], unparsed: "" };
        opened.resolve(socket.data);
      },
      data: (socket, chunk) => receive(socket.data, chunk.toString("latin1")),
    },
  });
  return await opened.promise;
}

function requestOf({ host, keys }: VisitPlan): string {
  const key =
    keys.kind === "known"
      ? `key${Math.floor(Math.random() * keys.count)}`
      : `guess-${Math.random().toString(36).slice(2)}`;
  const fields = `Host: ${host}\r\nUser-Agent: ${agent}\r\nAccept: */*\r\nAccept-Language: en-US,en;q=0.9\r\n`;
  return `GET /${key} HTTP/1.1\r\n${fields}X-Forwarded-For: 198.41.0.${1 + Math.floor(Math.random() * 250)}\r\n\r\n`;
}

/** Removes complete responses from the received text, and returns their statuses. */
function readAnswers(visitor: Visitor, text: string): string[] {
  const received = visitor.unparsed + text;
  const statuses: string[] = [];
  let at = 0;
  for (;;) {
    const headEnd = received.indexOf("\r\n\r\n", at);
    if (headEnd === -1) break;
    const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(at, headEnd))?.[1] ?? "0";
    const end = headEnd + 4 + Number(length);
    if (end > received.length) break;
    statuses.push(received.slice(at + "HTTP/1.1 ".length, at + "HTTP/1.1 302".length));
    at = end;
  }
  visitor.unparsed = received.slice(at);
  return statuses;
}
