import { afterAll, beforeAll } from "bun:test";
import { z } from "zod";
import type { Engine } from "../../src/database/engine.ts";
import { type DnsServer, startDnsServer } from "./dns-server.ts";
import type { CallOptions, Environment, TestService } from "./server.ts";

const Domain = z.object({ id: z.string(), slug: z.string() });
const Report = z.object({ ownership: z.object({ expected: z.object({ name: z.string(), value: z.string() }) }) });

/** A domain of a workspace, and the DNS record that verifies it. */
type ShortDomain = z.output<typeof Domain> & { record: { name: string; value: string } };

let domains = 0;

/** Adds a pending domain with a unique slug. */
export async function addDomain(server: TestService, settings: object = {}, options: CallOptions = {}) {
  const slug = `go${++domains}.example.com`;
  const domain = Domain.parse(
    (await server.call("POST", "/domains", { ...options, body: { slug, ...settings } })).body,
  );
  const report = Report.parse((await server.call("GET", `/domains/${slug}/dns`, options)).body);
  return { ...domain, record: report.ownership.expected } satisfies ShortDomain;
}

/** Adds a domain and verifies it through `dns`, which must be a resolver of the server. */
export async function addVerifiedDomain(
  server: TestService,
  dns: DnsServer,
  settings: object = {},
  options: CallOptions = {},
): Promise<ShortDomain> {
  const domain = await addDomain(server, settings, options);
  dns.answer(domain.record.name, { kind: "txt", records: [domain.record.value] });
  const { body } = await server.call("POST", `/domains-v2/${domain.id}/verify`, options);
  if (!z.object({ success: z.literal(true) }).safeParse(body).success) throw new Error(JSON.stringify(body));
  return domain;
}

/** A service, its DNS server, and the slug of a verified domain. */
export type OnShortDomain<Service extends TestService = TestService> = {
  dns: DnsServer;
  server: Service;
  domain: string;
};

/**
 * Starts the servers before the tests of a file or a group, and stops them after the last one. `start` is startService or
 * startServer.
 */
export function onShortDomain<Service extends TestService>(
  start: (environment: Environment, engine: Engine) => Promise<Service>,
  engine: Engine,
  environment: Environment,
  use: (opened: OnShortDomain<Service>) => void | Promise<void>,
  settings: object = {},
): void {
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const dns = await startDnsServer();
    ends.push(() => dns.close());
    const server = await start({ WAYPOST_RESOLVERS: dns.address, ...environment }, engine);
    ends.push(() => server.remove());
    await use({ dns, server, domain: (await addVerifiedDomain(server, dns, settings)).slug });
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
}

const Link = z.object({ id: z.string(), key: z.string(), url: z.string(), domain: z.string(), shortLink: z.string() });

/** Creates a link; fails with the response if it is refused. */
export async function addLink(server: TestService, body: object, options: CallOptions = {}) {
  const answer = await server.call("POST", "/links", { ...options, body });
  if (answer.status !== 200)
    throw new Error(`${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Link.parse(answer.body);
}
