import { once } from "node:events";
import type { Socket } from "node:net";
import { createTCPServer, createUDPServer, type DnsHandler, Packet } from "dns2";

export type DnsAnswer =
  /** One record per entry; an entry of several strings is one record of several strings. */
  | { kind: "txt"; records: (string | string[])[]; ttlSeconds?: number }
  | { kind: "address"; type: "A" | "AAAA"; addresses: string[]; ttlSeconds?: number }
  | { kind: "caa"; flags: number; tag: string; value: string; ttlSeconds?: number }
  | { kind: "name-servers"; servers: string[]; ttlSeconds?: number }
  /** The alias and the programmed records of its target, like the response of a recursive resolver. */
  | { kind: "alias"; target: string; ttlSeconds?: number }
  | { kind: "empty" }
  | { kind: "nxdomain" }
  | { kind: "servfail" }
  | { kind: "refused" }
  /** Never answered, neither over UDP nor over TCP. */
  | { kind: "silence" }
  /** The first `count` queries get no response. */
  | { kind: "silence-first"; count: number; next: DnsAnswer }
  /** Over UDP only the truncation bit, over TCP the answer. */
  | { kind: "truncated"; next: DnsAnswer }
  /** Over UDP only the truncation bit; over TCP the connection is closed. */
  | { kind: "truncated-then-closed" }
  /** Datagrams that the resolver must ignore come first: with another id, with another question, and invalid bytes. */
  | { kind: "forged-first"; forged: DnsAnswer; next: DnsAnswer }
  /** FORMERR for every question with EDNS, as a server older than EDNS answers. */
  | { kind: "before-edns"; next: DnsAnswer }
  /** FORMERR, without the question, as from a server that could not read it. */
  | { kind: "format-error" }
  /** BADVERS: a response code with only the upper bits set, those in the EDNS record. */
  | { kind: "bad-version" }
  /** The records, and `count` NS records whose names lead through 8,000 pointers, which costs much to decode. */
  | { kind: "pointer-chains"; count: number; next: DnsAnswer }
  /** No error, no records, and neither authority nor recursion: the response of a server for a foreign zone. */
  | { kind: "referral" };

type DnsQuery = { name: string; type: string; transport: "udp" | "tcp" };

export type DnsServer = {
  /** "ip:port", in the form of the resolver setting; UDP and TCP listen on the same port. */
  address: string;
  /** Every question received, in order. */
  queries: DnsQuery[];
  /** Sets the answer to a name for every record type; names without one are NXDOMAIN. */
  answer(name: string, answer: DnsAnswer): void;
  close(): Promise<void>;
};

type Resource = InstanceType<typeof Packet.Resource>;
type Send = Parameters<DnsHandler>[1];

type Plan = { kind: "send"; messages: (Packet | Buffer)[] } | { kind: "drop" };

type DnsQuestion = {
  answers: Map<string, DnsAnswer>;
  request: Packet;
  question: Packet["questions"][number];
  transport: "udp" | "tcp";
  /** The number of queries for this name so far, with this one. */
  count: number;
};

const startTriesMax = 20; // the TCP port of the same number may be in use

/**
 * Starts a real DNS server on loopback with a programmed response for each name: a resolver, or an authoritative server.
 */
export async function startDnsServer({ host = "127.0.0.1", isAuthoritative = false } = {}): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const queries: DnsQuery[] = [];
  const connections = new Set<Socket>();
  const { udp, tcp, port } = await listen(host);

  const plan = (transport: "udp" | "tcp", request: Packet): Plan => {
    const question = request.questions[0];
    if (question === undefined) return { kind: "send", messages: [] };
    const name = question.name.toLowerCase();
    queries.push({ name, type: typeName(question.type), transport });
    const count = queries.filter((query) => query.name === name).length;
    const answer = answers.get(name) ?? { kind: "nxdomain" };
    const planned = planFor(answer, { answers, request, question, transport, count });
    return isAuthoritative ? asAuthority(planned) : planned;
  };
  udp.on("request", (request, send) => carryOut(plan("udp", request), send, () => {}));
  tcp.on("request", (request, send, client) => {
    carryOut(plan("tcp", request), send, () => "destroy" in client && client.destroy());
  });
  udp.on("error", () => {}); // a resolver that has an answer may have closed its socket
  tcp.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.on("error", () => {}); // a resolver that has an answer may reset the connection
    socket.on("close", () => connections.delete(socket));
  });

  return {
    address: `${host}:${port}`,
    queries,
    answer: (name, answer) => void answers.set(name.toLowerCase(), answer),
    close: async () => {
      for (const socket of connections) socket.destroy();
      const closed = Promise.all([once(udp, "close"), once(tcp, "close")]);
      udp.close();
      tcp.close();
      await closed;
    },
  };
}

async function listen(host: string) {
  for (let tries = 0; tries < startTriesMax; tries++) {
    const udp = createUDPServer();
    await udp.listen(0, host);
    const { port } = udp.address();
    const tcp = createTCPServer();
    tcp.listen(port, host);
    const isListening = await once(tcp, "listening").then(
      () => true,
      () => false,
    );
    if (isListening) return { udp, tcp, port };
    udp.close();
  }
  throw new Error(`no port was free for UDP and TCP in ${startTriesMax} tries`);
}

function carryOut(plan: Plan, send: Send, drop: () => void): void {
  if (plan.kind === "drop") drop();
  // A resolver closes its socket as soon as it has an answer, which the system may report as ECONNREFUSED.
  else for (const message of plan.messages) Promise.resolve(send(message)).catch(() => {});
}

function planFor(answer: DnsAnswer, question: DnsQuestion): Plan {
  const { request, transport, count } = question;
  switch (answer.kind) {
    case "silence":
      return { kind: "send", messages: [] };
    case "silence-first":
      return planFor(count > answer.count ? answer.next : { kind: "silence" }, question);
    case "truncated":
      return transport === "tcp" ? planFor(answer.next, question) : sendPlan(truncated(request));
    case "truncated-then-closed":
      return transport === "tcp" ? { kind: "drop" } : sendPlan(truncated(request));
    case "forged-first": {
      const { forged, next } = answer;
      const planned = planFor(next, question);
      if (planned.kind === "drop") return planned;
      const rejected = [
        withOtherId(reply(forged, question)),
        withOtherName(reply(forged, question)),
        Buffer.from("rubbish"),
      ];
      return sendPlan(...rejected, ...planned.messages);
    }
    case "pointer-chains": {
      const planned = planFor(answer.next, question);
      if (planned.kind === "drop") return planned;
      return sendPlan(...planned.messages.map((message) => withPointerChains(message, answer.count)));
    }
    case "before-edns":
      return planFor(request.additionals.length > 0 ? { kind: "format-error" } : answer.next, question);
    default:
      return sendPlan(reply(answer, question));
  }
}

/** Says in every response that the server owns the zone, and that it asks no others. */
function asAuthority(plan: Plan): Plan {
  if (plan.kind === "drop") return plan;
  for (const message of plan.messages) {
    if (Buffer.isBuffer(message)) continue;
    message.header.aa = 1;
    message.header.ra = 0;
  }
  return plan;
}

function sendPlan(...messages: (Packet | Buffer)[]): Plan {
  return { kind: "send", messages };
}

function reply(answer: DnsAnswer, { request, question, answers }: DnsQuestion): Packet {
  switch (answer.kind) {
    case "format-error": {
      const packet = withCode(request, 1);
      packet.questions = [];
      return packet;
    }
    case "servfail":
      return withCode(request, 2);
    case "nxdomain":
      return withCode(request, 3);
    case "refused":
      return withCode(request, 5);
    case "bad-version": {
      const packet = withCode(request, 16);
      packet.additionals = [Packet.Resource.EDNS([])];
      return packet;
    }
    case "referral": {
      const packet = withCode(request, 0);
      packet.header.ra = 0;
      return packet;
    }
    default: {
      const packet = withCode(request, 0);
      packet.answers = recordsOf(question.name, answer, answers);
      return packet;
    }
  }
}

function recordsOf(name: string, answer: DnsAnswer, answers: Map<string, DnsAnswer>): Resource[] {
  const shared = { name, class: Packet.CLASS.IN, ttl: "ttlSeconds" in answer ? (answer.ttlSeconds ?? 300) : 300 };
  switch (answer.kind) {
    case "txt":
      return answer.records.map((text) => record({ ...shared, type: Packet.TYPE.TXT, data: text }));
    case "address":
      return answer.addresses.map((address) => record({ ...shared, type: Packet.TYPE[answer.type], address }));
    case "name-servers":
      return answer.servers.map((ns) => record({ ...shared, type: Packet.TYPE.NS, ns }));
    case "caa": {
      const { flags, tag, value } = answer;
      return [record({ ...shared, type: Packet.TYPE.CAA, flags, tag, value })];
    }
    case "alias": {
      const target = answers.get(answer.target.toLowerCase());
      const alias = record({ ...shared, type: Packet.TYPE.CNAME, domain: answer.target });
      return [alias, ...(target === undefined ? [] : recordsOf(answer.target, target, answers))];
    }
    default:
      return [];
  }
}

function record(fields: Partial<Resource>): Resource {
  return new Packet.Resource(fields);
}

function withCode(request: Packet, code: number): Packet {
  const packet = Packet.createResponseFromRequest(request);
  packet.header.ra = 1;
  packet.header.rcode = code;
  return packet;
}

function truncated(request: Packet): Packet {
  const packet = withCode(request, 0);
  packet.header.tc = 1;
  return packet;
}

function withOtherId(packet: Packet): Packet {
  packet.header.id = (packet.header.id + 1) % 65_536;
  return packet;
}

/** Appends a record that holds a chain of pointers, and `count` NS records whose owner and server are its end. */
function withPointerChains(message: Packet | Buffer, count: number): Buffer {
  const bytes = Buffer.isBuffer(message) ? message : message.toBuffer();
  const chainAt = bytes.length + recordHeadBytes;
  const chain = Buffer.alloc(1 + 2 * pointers); // begins with the root, to which the first pointer leads
  for (let index = 0; index < pointers; index++) {
    chain.writeUInt16BE(pointer | (chainAt + Math.max(0, 2 * index - 1)), 1 + 2 * index);
  }
  const end = Buffer.alloc(2);
  end.writeUInt16BE(pointer | (chainAt + 2 * pointers - 1));
  const root = Buffer.alloc(1);
  const long = Array.from({ length: count }, () => rawRecord(end, Packet.TYPE.NS, end));
  const extended = Buffer.concat([bytes, rawRecord(root, nullType, chain), ...long]);
  extended.writeUInt16BE(extended.readUInt16BE(answersAt) + 1 + count, answersAt);
  return extended;
}

/** The first bits of a pointer; the other 14 are the position of a name. */
const pointer = 0xc000;
const pointers = 8_000;
const nullType = 10; // RFC 1035, section 3.3.10
const answersAt = 6;
/** The bytes before the value of a record at the root. */
const recordHeadBytes = 11;

function rawRecord(owner: Buffer, type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(recordHeadBytes - 1);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(Packet.CLASS.IN, 2);
  head.writeUInt16BE(value.length, 8);
  return Buffer.concat([owner, head, value]);
}

function withOtherName(packet: Packet): Packet {
  packet.questions = packet.questions.map(({ type }) => new Packet.Question("elsewhere.example", type, 1));
  return packet;
}

function typeName(type: number): string {
  const known = Object.entries(Packet.TYPE).find(([, number]) => number === type);
  return known?.[0] ?? String(type);
}
