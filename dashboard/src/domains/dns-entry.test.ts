import { describe, expect, test } from "bun:test";
import { dnsEntryOf, type ExpectedRecord } from "./dns-entry.ts";
import { type DnsProviderId, dnsProviderOf, dnsProviders } from "./dns-providers.ts";

const proof: ExpectedRecord = { type: "TXT", name: "_waypost.go.example.com", value: "waypost-verify=1" };
const alias: ExpectedRecord = { type: "CNAME", name: "go.example.com", value: "links.example.net" };
const apex: ExpectedRecord = { type: "CNAME", name: "example.com", value: "links.example.net" };
const address: ExpectedRecord = { type: "A", name: "example.com", value: "192.0.2.1" };

/** TABLE of providers, records, and what is typed into the form: type, name, value. */
const cases: [DnsProviderId | undefined, ExpectedRecord, string][] = [
  ["cloudflare", proof, "TXT _waypost.go waypost-verify=1"],
  ["cloudflare", alias, "CNAME go links.example.net"],
  ["cloudflare", apex, "CNAME @ links.example.net"],
  ["namecheap", apex, "ALIAS @ links.example.net"],
  ["godaddy", address, "A @ 192.0.2.1"],
  ["route53", proof, 'TXT _waypost.go "waypost-verify=1"'],
  ["route53", address, "A  192.0.2.1"],
  ["hetzner", alias, "CNAME go links.example.net."],
  [undefined, alias, "CNAME go.example.com links.example.net"],
];

describe("the entry of a record", () => {
  test.each(cases)("at %s", (provider, record, expected) => {
    const entry = dnsEntryOf(record, "example.com", provider && dnsProviders[provider]);

    expect(`${entry.type} ${entry.name} ${entry.value}`).toBe(expected);
    expect(entry.isImpossible).toBe(false);
  });

  test("a CNAME at the zone's own name is impossible where the provider has no record for it", () => {
    expect(dnsEntryOf(apex, "example.com", dnsProviders.godaddy)).toMatchObject({ isApex: true, isImpossible: true });
    expect(dnsEntryOf(apex, "example.com", undefined).isImpossible).toBe(true);
  });

  test("a name has its full form while the zone is unknown", () => {
    expect(dnsEntryOf(alias, undefined, dnsProviders.cloudflare).name).toBe("go.example.com");
  });
});

describe("a provider is recognized by its name servers", () => {
  test.each([
    [["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"], "cloudflare"],
    [["ns51.domaincontrol.com"], "godaddy"],
    [["dns1.registrar-servers.com"], "namecheap"],
    [["ns-1.awsdns-12.co.uk"], "route53"],
    [["ns-cloud-a1.googledomains.com"], "squarespace"],
    [["ns1032.ui-dns.biz"], "ionos"],
    [["helium.ns.hetzner.de"], "hetzner"],
    [["dns104.ovh.net"], "ovh"],
    [["ns-12-a.gandi.net"], "gandi"],
    [["maceio.ns.porkbun.com"], "porkbun"],
    [["ns1.digitalocean.com"], "digitalocean"],
    [["dns9.hichina.com"], "alibaba"],
    [["f1g1ns1.dnspod.net"], "dnspod"],
    [["ns.example.com", "cloudflare.com.example"], undefined],
    [[], undefined],
  ] as const)("%p is %p", (servers, id) => {
    expect(dnsProviderOf(servers)).toBe(id);
  });
});
