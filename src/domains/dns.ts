/**
 * Asks recursive resolvers over UDP, and over TCP when the response is truncated.
 *
 * 1. No outage throws: every failure to get an answer is an "unreachable" value.
 * 2. "absent" requires a server that could know; it ends the links of a domain within days.
 * 3. A datagram counts as the response only if it comes from the server asked (connected socket, port chosen by the
 *    system), carries our random id and repeats our question (or says that it could not read it); all other datagrams are
 *    ignored.
 * 4. One time budget covers all servers and attempts; every socket is closed by its own deadline.
 * 5. Nothing is cached, so a record that was just added is found by the next check.
 * 6. A server may be the attacker's: decoding its responses is bounded by their bytes, records and number.
 *
 * Why not node:dns (measured with Bun 1.4.5): it returns the strings of one TXT record as several records, reports a
 * name without TXT records as ENOTFOUND like one that does not exist, answers repeated questions from a cache, and
 * reports neither the server nor the TTL of CNAME and CAA records.
 */
import assert from "node:assert";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { connect, isIP } from "node:net";
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import { type DnsServer, readDnsServer } from "../base/dns-server.ts";
import { isPublicAddress } from "../base/public-address.ts";
import type { TxtLookup, Unreachable, UnreachableReason } from "./domain.ts";

/** Time budget of one verification, over all servers and attempts; a person is waiting for it. */
export const verificationBudgetMs = 5_000;

const serversMax = 3; // like the C library
const triesMax = 2; // one datagram may get lost
const chainHopsMax = 16;
const datagramBytesMax = 1_232; // fits every path without fragments (DNS flag day 2020)
const lengthPrefixBytes = 2; // RFC 1035, section 4.2.2
/**
 * Bounds of a response. Names point to earlier names, in chains that the codec follows for each name: 64 KiB with 3,500
 * records took it 600 ms, these bounds about 10 ms.
 */
const messageBytesMax = 8 * 1024;
const recordsMax = 64;
/** The datagrams with the right id that are decoded for one query: forged ones, and the response. */
const decodedMax = 4;
const headerBytes = 12;
/** The positions of the four counts in a header: questions, answers, authorities, additionals. */
const countsAt = [4, 6, 8, 10];

const ednsOption: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: datagramBytesMax,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

const responseCode = { noError: 0, formatError: 1, serverFailure: 2, nameError: 3, notImplemented: 4, refused: 5 };
const badVersion = 16; // RFC 6891, section 9

/** The record types that Waypost asks for. */
export type DnsType = "A" | "AAAA" | "CNAME" | "CAA" | "NS" | "TXT";

/** A record; `name` is its owner: the end of the alias chain when the name asked for is an alias. */
export type DnsRecord = { name: string; ttlSeconds: number } & (
  | { type: "A" | "AAAA" | "CNAME" | "NS" | "TXT"; value: string }
  | { type: "CAA"; tag: string; value: string; isCritical: boolean }
);

/** The outcome of a question: records and the server that answered, a credible absence, or no answer. */
export type DnsLookup =
  | { kind: "found"; records: DnsRecord[]; server: string }
  | { kind: "absent"; reason: "nxdomain" | "empty"; server: string; ttlSeconds?: number }
  | Unreachable;

/** Asks DNS servers. Never throws: every failure to get an answer is a value. */
export type Resolver = {
  /**
   * The records of one type at a name, with the server that answered, as "ip" or "ip:port".
   * Shape: names are in ASCII form, without trailing dot; a TXT value is the joined strings of one record.
   * Guarantee: never rejects for an outage; settles within about budgetMs.
   */
  lookup(name: string, type: DnsType, budgetMs?: number): Promise<DnsLookup>;
  /**
   * Like `lookup`, from the authoritative server with this address. Asks only public addresses and those of the
   * configured resolvers, the latter on their ports. A response that is not authoritative is unusable.
   */
  lookupAt(ip: string, question: Question & { budgetMs: number }): Promise<DnsLookup>;
  /** Like `lookup` of TXT, in the form that the verification rule takes. */
  lookupTxt(name: string): Promise<TxtLookup>;
};

type Question = { name: string; type: DnsType };
type Reply = { kind: "reply"; packet: DecodedPacket } | Unreachable;
type Exchange = { server: DnsServer; query: Buffer; isReply: (packet: DecodedPacket) => boolean; deadline: number };

/**
 * A resolver that asks the given servers in order, or the system's when the list is empty.
 * Shape: servers are "ip", "ip:port" or "[ipv6]:port"; the first three are used. budgetMs is the time of one lookup.
 * Throws when a server is none of these; the configuration checks them first.
 */
export function openResolver({ servers, budgetMs }: { servers: string[]; budgetMs: number }): Resolver {
  const configured = servers.map((text) => {
    const server = readDnsServer(text);
    assert(server !== undefined, `not a DNS server, expected "ip", "ip:port" or "[ipv6]:port": "${text}"`);
    return server;
  });

  async function lookup(name: string, type: DnsType, withinMs = budgetMs): Promise<DnsLookup> {
    const servers = configured.length > 0 ? configured : systemServers();
    return await queryServers(servers.slice(0, serversMax), { name, type }, Math.min(withinMs, budgetMs));
  }

  async function lookupAt(
    ip: string,
    { name, type, budgetMs: withinMs }: Question & { budgetMs: number },
  ): Promise<DnsLookup> {
    const own = configured.find((server) => server.ip === ip);
    const server = own ?? (isPublicAddress(ip) ? readDnsServer(ip) : undefined);
    if (server === undefined) return { kind: "unreachable", reason: "refused" };
    return await askAuthority(server, { name, type }, performance.now() + withinMs);
  }

  async function lookupTxt(name: string): Promise<TxtLookup> {
    const found = await lookup(name, "TXT");
    switch (found.kind) {
      case "found":
        return {
          kind: "found",
          records: found.records.map((record) => record.value),
          ttlSeconds: Math.max(...found.records.map((record) => record.ttlSeconds)),
        };
      case "absent": {
        const { reason, ttlSeconds } = found;
        return ttlSeconds === undefined ? { kind: "absent", reason } : { kind: "absent", reason, ttlSeconds };
      }
      case "unreachable":
        return found;
    }
  }

  return { lookup, lookupAt, lookupTxt };
}

/** The IPv4 and IPv6 addresses of a name; empty when no server answers. */
export async function addressesOf({ lookup }: Pick<Resolver, "lookup">, name: string): Promise<string[]> {
  const found = await Promise.all([lookup(name, "A"), lookup(name, "AAAA")]);
  return found.flatMap((answer) =>
    answer.kind === "found"
      ? answer.records.flatMap((record) => (record.type === "A" || record.type === "AAAA" ? [record.value] : []))
      : [],
  );
}

/** Read at each lookup, because a machine that changes networks changes its servers. */
function systemServers(): DnsServer[] {
  return getServers()
    .map(readDnsServer)
    .filter((server) => server !== undefined);
}

/** Asks one server after the other; a second round asks those that were silent, since a datagram may have been lost. */
async function queryServers(servers: DnsServer[], question: Question, budgetMs: number): Promise<DnsLookup> {
  const end = performance.now() + budgetMs;
  const failures: Unreachable[] = [];
  let round = servers;
  for (let triesLeft = triesMax; triesLeft > 0; triesLeft--) {
    const silent: DnsServer[] = [];
    for (const [index, server] of round.entries()) {
      // Each server gets an equal share of the time left, so that a dead server never uses up the time of a living one.
      const questionsLeft = round.length * triesLeft - index;
      const now = performance.now();
      const answer = await ask(server, question, now + (end - now) / questionsLeft);
      if (answer.kind !== "unreachable") return answer;
      if (answer.reason === "timeout") silent.push(server);
      failures.push(answer);
    }
    round = silent;
  }
  return mostInformative(failures);
}

/** The first failure that a server reported; a report says more than a timeout of another server. */
function mostInformative(failures: Unreachable[]): Unreachable {
  const reported = failures.find((failure) => failure.reason !== "timeout");
  return reported ?? failures[0] ?? { kind: "unreachable", reason: "no_server" };
}

async function ask(server: DnsServer, question: Question, deadline: number): Promise<DnsLookup> {
  const reply = await exchangeWithOptionalEdns(server, question, deadline);
  return reply.kind === "unreachable" ? reply : readReply(reply.packet, question, server);
}

async function askAuthority(server: DnsServer, question: Question, deadline: number): Promise<DnsLookup> {
  const reply = await exchangeWithOptionalEdns(server, question, deadline);
  if (reply.kind === "unreachable") return reply;
  // A server that does not set the flag is, for example, a former name server of the zone, or a resolver.
  return reply.packet.flag_aa ? readReply(reply.packet, question, server) : unreachable("unusable", server);
}

async function exchangeWithOptionalEdns(server: DnsServer, question: Question, deadline: number): Promise<Reply> {
  const reply = await exchange(server, question, [ednsOption], deadline);
  const mayFailForEdns = reply.kind === "reply" && mayLackEdns(reply.packet);
  return mayFailForEdns ? await exchange(server, question, [], deadline) : reply;
}

/** True when a server older than EDNS (RFC 6891) may have failed because of it. */
function mayLackEdns(packet: DecodedPacket): boolean {
  const code = responseCodeOf(packet);
  return code === responseCode.formatError || code === responseCode.notImplemented || code === badVersion;
}

async function exchange(
  server: DnsServer,
  question: Question,
  additionals: Answer[],
  deadline: number,
): Promise<Reply> {
  const id = randomInt(65_536);
  const isReply = (packet: DecodedPacket) => repeatsQuestion(packet, id, question);
  const request = { server, query: encodeQuery(id, question, additionals), isReply, deadline };
  const reply = await exchangeDatagrams(request);
  return reply.kind === "reply" && reply.packet.flag_tc ? await exchangeStream(request) : reply;
}

function encodeQuery(id: number, { name, type }: Question, additionals: Answer[]): Buffer {
  // The codec would write a longer label as a compression pointer.
  assert(/^([^.]{1,63}\.)*[^.]{1,63}$/.test(name) && name.length <= 253, `not a name that can be asked for: "${name}"`);
  return encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [{ name, type }], additionals });
}

function repeatsQuestion(packet: DecodedPacket, id: number, question: Question): boolean {
  if (packet.type !== "response" || packet.id !== id) return false;
  const repeated = packet.questions?.[0];
  // A server that could not read the question cannot repeat it; trusting this response only costs a plainer question.
  if (repeated === undefined) return responseCodeOf(packet) === responseCode.formatError;
  return repeated.type === question.type && sameName(repeated.name, question.name);
}

function exchangeDatagrams({ server, query, isReply, deadline }: Exchange): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(server.ip) === 6 ? "udp6" : "udp4");
    let isSettled = false;
    const settle = (reply: Reply) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    };
    const fail = (reason: UnreachableReason) => settle(unreachable(reason, server));
    const timer = setTimeout(() => fail("timeout"), timeLeftMs(deadline));

    socket.on("error", () => fail("network"));
    let decoded = 0;
    socket.on("message", (bytes) => {
      if (!hasSameId(bytes, query)) return;
      const packet = readPacket(bytes);
      decoded++;
      if (packet !== undefined && isReply(packet)) settle({ kind: "reply", packet });
      else if (decoded === decodedMax) fail("unusable");
    });
    // Bun hands a failed connect to this callback, which the types do not say.
    socket.connect(server.port, server.ip, (error?: unknown) => {
      if (error) return fail("network");
      if (!isSettled) socket.send(query, (sendError) => sendError && fail("network"));
    });
  });
}

function exchangeStream({ server, query, isReply, deadline }: Exchange): Promise<Reply> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0); // at most messageBytesMax, and one chunk
    const socket = connect({ host: server.ip, port: server.port });
    const settle = (reply: Reply) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const fail = (reason: UnreachableReason) => settle(unreachable(reason, server));
    const timer = setTimeout(() => fail("timeout"), timeLeftMs(deadline));

    socket.on("error", () => fail("network"));
    socket.on("close", () => fail("network"));
    socket.on("connect", () => socket.write(withLengthPrefix(query)));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < lengthPrefixBytes) return;
      const end = lengthPrefixBytes + received.readUInt16BE(0);
      if (end > lengthPrefixBytes + messageBytesMax) return fail("unusable");
      if (received.length < end) return;
      const packet = readPacket(received.subarray(lengthPrefixBytes, end));
      if (packet !== undefined && isReply(packet)) settle({ kind: "reply", packet });
      else fail("unusable");
    });
  });
}

function withLengthPrefix(query: Buffer): Buffer {
  const prefix = Buffer.alloc(lengthPrefixBytes);
  prefix.writeUInt16BE(query.length);
  return Buffer.concat([prefix, query]);
}

function timeLeftMs(deadline: number): number {
  return Math.max(0, deadline - performance.now());
}

/** The id is in the first two bytes. */
function hasSameId(bytes: Buffer, query: Buffer): boolean {
  return bytes.subarray(0, 2).equals(query.subarray(0, 2));
}

function readPacket(bytes: Buffer): DecodedPacket | undefined {
  if (!isWithinBounds(bytes)) return undefined;
  try {
    return decode(bytes);
  } catch {
    return undefined; // anyone can send anything; the caller says what a broken message means
  }
}

function isWithinBounds(bytes: Buffer): boolean {
  if (bytes.length < headerBytes || bytes.length > messageBytesMax) return false;
  return countsAt.reduce((sum, at) => sum + bytes.readUInt16BE(at), 0) <= recordsMax;
}

function readReply(packet: DecodedPacket, question: Question, server: DnsServer): DnsLookup {
  switch (responseCodeOf(packet)) {
    case responseCode.noError: {
      const records = recordsFound(packet.answers ?? [], question);
      if (records.length > 0) return { kind: "found", records, server: server.text };
      return canKnowAbsence(packet) ? absent("empty", packet, server) : unreachable("unusable", server);
    }
    case responseCode.nameError:
      return canKnowAbsence(packet) ? absent("nxdomain", packet, server) : unreachable("unusable", server);
    case responseCode.serverFailure:
      return unreachable("servfail", server);
    case responseCode.refused:
      return unreachable("refused", server);
    default:
      return unreachable("unusable", server);
  }
}

/** The response code, with the upper bits an EDNS answer carries: without them "bad version" reads as "no error". */
function responseCodeOf(packet: DecodedPacket): number {
  const low = (packet.flags ?? 0) & 0x0f;
  const extension = packet.additionals?.find((record) => record.type === "OPT");
  return extension === undefined ? low : (extension.extendedRcode << 4) | low;
}

/** A server that neither resolves for us nor owns the zone returns a referral: no records, and no knowledge. */
function canKnowAbsence(packet: DecodedPacket): boolean {
  return packet.flag_ra || (packet.flag_aa && packet.answers?.length === 0);
}

/** The records of the requested type, at the name or at the end of its aliases in the response. */
function recordsFound(answers: Answer[], { name, type }: Question): DnsRecord[] {
  const records = answers.map(readRecord).filter((record) => record !== undefined);
  let owner = name;
  for (let hops = 0; hops < chainHopsMax; hops++) {
    const atOwner = records.filter((record) => sameName(record.name, owner));
    const matching = atOwner.filter((record) => record.type === type);
    if (matching.length > 0) return matching;
    const alias = atOwner.find((record) => record.type === "CNAME");
    if (alias === undefined) return [];
    owner = alias.value;
  }
  return [];
}

function readRecord(answer: Answer): DnsRecord | undefined {
  if (answer.type === "OPT" || answer.class !== "IN") return undefined;
  const placed = { name: answer.name.toLowerCase(), ttlSeconds: answer.ttl ?? 0 };
  switch (answer.type) {
    case "A":
    case "AAAA":
      return { ...placed, type: answer.type, value: answer.data };
    case "CNAME":
    case "NS":
      return { ...placed, type: answer.type, value: answer.data.toLowerCase() };
    case "CAA": {
      const { tag, value, issuerCritical } = answer.data;
      return { ...placed, type: "CAA", tag: tag.toLowerCase(), value, isCritical: issuerCritical === true };
    }
    case "TXT": {
      const strings = Array.isArray(answer.data) ? answer.data : [answer.data];
      return { ...placed, type: "TXT", value: Buffer.concat(strings.map((text) => Buffer.from(text))).toString() };
    }
    default:
      return undefined;
  }
}

/** Servers may return names in any case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function absent(reason: "nxdomain" | "empty", packet: DecodedPacket, server: DnsServer): DnsLookup {
  const zone = packet.authorities?.find((record) => record.type === "SOA");
  if (zone === undefined) return { kind: "absent", reason, server: server.text };
  // How long resolvers may remember the absence (RFC 2308, section 5).
  const ttlSeconds = Math.min(zone.ttl ?? 0, zone.data.minimum ?? 0);
  return { kind: "absent", reason, server: server.text, ttlSeconds };
}

function unreachable(reason: UnreachableReason, server: DnsServer): Unreachable {
  return { kind: "unreachable", reason, server: server.text };
}
