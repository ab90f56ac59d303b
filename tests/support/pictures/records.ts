import { z } from "zod";
import type { DnsServer } from "../dns-server.ts";
import type { TestService } from "../server.ts";

const cnameTarget = "links.kestrel.coffee";
const address = "203.0.113.24";

/** The addresses that short domains should point at. */
export const routing = { WAYPOST_CNAME_TARGET: cnameTarget, WAYPOST_IPS: address };

const Report = z.object({ ownership: z.object({ expected: z.object({ name: z.string(), value: z.string() }) }) });

/**
 * Publishes DNS records as in the middle of a setup: all records of the verified domain, and the routing of the pending
 * one without its proof of ownership.
 */
export async function publishRecords(server: TestService, dns: DnsServer): Promise<void> {
  await publishOwnership(server, dns, "kestrel.link");
  dns.answer("kestrel.link", { kind: "address", type: "A", addresses: [address] });
  dns.answer("kestrel.coffee", {
    kind: "name-servers",
    servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
  });
  dns.answer("go.kestrel.coffee", { kind: "alias", target: cnameTarget });
  dns.answer(cnameTarget, { kind: "address", type: "A", addresses: [address] });
}

/** Publishes the record that proves the ownership of a domain. */
export async function publishOwnership(
  server: TestService,
  dns: DnsServer,
  slug: string,
  workspaceId = 1,
): Promise<void> {
  const { body } = await server.call("GET", `/domains/${slug}/dns?workspaceId=${workspaceId}`);
  const { name, value } = Report.parse(body).ownership.expected;
  dns.answer(name, { kind: "txt", records: [value] });
}
