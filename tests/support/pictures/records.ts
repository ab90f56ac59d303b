import { z } from "zod";
import type { DnsServer } from "../dns-server.ts";
import type { TestServer } from "../server.ts";

const cnameTarget = "links.kestrel.coffee";
const address = "203.0.113.24";

/** What short domains are to point at. */
export const routing = { WAYPOST_CNAME_TARGET: cnameTarget, WAYPOST_IPS: address };

const Report = z.object({ ownership: z.object({ expected: z.object({ name: z.string(), value: z.string() }) }) });

/**
 * Has DNS hold what it does in the middle of setting domains up: all records of the domain that is verified; of the one
 * that is pending where it leads, but not yet whose it is.
 */
export async function publishRecords(server: TestServer, dns: DnsServer): Promise<void> {
  const { body } = await server.call("GET", "/domains/kestrel.link/dns");
  const { name, value } = Report.parse(body).ownership.expected;
  dns.answer(name, { kind: "txt", records: [value] });
  dns.answer("kestrel.link", { kind: "address", type: "A", addresses: [address] });
  dns.answer("go.kestrel.coffee", { kind: "alias", target: cnameTarget });
  dns.answer(cnameTarget, { kind: "address", type: "A", addresses: [address] });
}
