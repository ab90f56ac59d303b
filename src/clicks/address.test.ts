import { describe, expect, test } from "bun:test";
import { isIP } from "node:net";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { clientAddress } from "./address.ts";

/** A case: the peer, the header, and the expected address of the visitor. */
type Case = { trusted: string[]; peer: string; forwardedFor: string | null; address: string };

function check(cases: Record<string, Case>): void {
  for (const [name, { trusted, peer, forwardedFor, address }] of Object.entries(cases)) {
    test(name, () => {
      expect(clientAddress(trusted)(peer, forwardedFor)).toBe(address);
    });
  }
}

describe("without trusted proxies, the address of the connection is used", () => {
  check({
    "X-Forwarded-For is ignored": {
      trusted: [],
      peer: "192.0.2.1",
      forwardedFor: "198.51.100.7",
      address: "192.0.2.1",
    },
    "of IPv4 over IPv6 too": { trusted: [], peer: "::ffff:192.0.2.1", forwardedFor: null, address: "192.0.2.1" },
    "of IPv6 too": { trusted: [], peer: "2001:db8::1", forwardedFor: "198.51.100.7", address: "2001:db8::1" },
  });
});

describe("the header of an untrusted peer is ignored", () => {
  check({
    "a stranger's": { trusted: ["10.0.0.0/8"], peer: "192.0.2.1", forwardedFor: "198.51.100.7", address: "192.0.2.1" },
    "just outside the network": {
      trusted: ["10.0.0.0/8"],
      peer: "11.0.0.0",
      forwardedFor: "198.51.100.7",
      address: "11.0.0.0",
    },
    "of the other address family": {
      trusted: ["0.0.0.0/0"],
      peer: "2001:db8::1",
      forwardedFor: "1.2.3.4",
      address: "2001:db8::1",
    },
    unknown: { trusted: ["10.0.0.0/8"], peer: "", forwardedFor: "198.51.100.7", address: "" },
  });
});

describe("the header of a trusted proxy is used", () => {
  const trusted = ["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:aaaa::/48"];
  const peer = "127.0.0.1";
  check({
    "with one hop": { trusted, peer, forwardedFor: "198.51.100.7", address: "198.51.100.7" },
    "over IPv6": { trusted, peer: "::1", forwardedFor: "198.51.100.7", address: "198.51.100.7" },
    "over mapped IPv4": { trusted, peer: "::ffff:127.0.0.1", forwardedFor: "198.51.100.7", address: "198.51.100.7" },
    "in a network": { trusted, peer: "10.255.255.255", forwardedFor: "198.51.100.7", address: "198.51.100.7" },
    "in an IPv6 network": { trusted, peer: "2001:db8:aaaa::5", forwardedFor: "198.51.100.7", address: "198.51.100.7" },
    "without the header": { trusted, peer, forwardedFor: null, address: peer },
    "with an empty header": { trusted, peer, forwardedFor: "", address: peer },
    "with empty hops": { trusted, peer, forwardedFor: " , ,", address: peer },
    "with the last hop that is not a proxy, whatever the visitor claims before it": {
      trusted,
      peer,
      forwardedFor: "1.1.1.1, 198.51.100.7",
      address: "198.51.100.7",
    },
    "through a chain of trusted proxies": {
      trusted,
      peer,
      forwardedFor: "1.1.1.1, 198.51.100.7, 2001:db8:aaaa::1, 10.2.2.2,10.1.1.1",
      address: "198.51.100.7",
    },
    "with the first hop if all hops are proxies": {
      trusted,
      peer,
      forwardedFor: "10.3.3.3, 10.2.2.2",
      address: "10.3.3.3",
    },
    "with a port": { trusted, peer, forwardedFor: "198.51.100.7:54321", address: "198.51.100.7" },
    "with ports in a chain": { trusted, peer, forwardedFor: "198.51.100.7:1, 10.1.1.1:2", address: "198.51.100.7" },
    "with IPv6": { trusted, peer, forwardedFor: "2001:db8::9", address: "2001:db8::9" },
    "with IPv6 in brackets": { trusted, peer, forwardedFor: "[2001:db8::9]", address: "2001:db8::9" },
    "with IPv6 in brackets and a port": { trusted, peer, forwardedFor: "[2001:db8::9]:443", address: "2001:db8::9" },
    "with IPv6 in another spelling": {
      trusted,
      peer,
      forwardedFor: "2001:0DB8:0:0:0:0:0:0009",
      address: "2001:db8::9",
    },
    "with mapped IPv4 in hex": { trusted, peer, forwardedFor: "::ffff:c633:6407", address: "198.51.100.7" },
    "with mapped IPv4 written out": {
      trusted,
      peer,
      forwardedFor: "0:0:0:0:0:ffff:198.51.100.7",
      address: "198.51.100.7",
    },
    "with mapped IPv4": { trusted, peer, forwardedFor: "::ffff:198.51.100.7", address: "198.51.100.7" },
    "with mapped IPv4 in capitals": { trusted, peer, forwardedFor: "::FFFF:198.51.100.7", address: "198.51.100.7" },
    "with mapped IPv4 of a proxy in brackets": {
      trusted,
      peer,
      forwardedFor: "198.51.100.7, [::ffff:10.1.1.1]:80",
      address: "198.51.100.7",
    },
    "with spaces and tabs": { trusted, peer, forwardedFor: "\t 198.51.100.7 \t, 10.1.1.1 ", address: "198.51.100.7" },
  });
});

describe("an invalid hop ends the chain at the proxy that wrote it", () => {
  const trusted = ["127.0.0.1", "10.0.0.0/8"];
  const peer = "127.0.0.1";
  const garbage = [
    "unknown",
    "_hidden",
    "localhost",
    "198.51.100",
    "198.51.100.256",
    "198.51.100.7.8",
    "[2001:db8::9",
    "2001:db8::g",
    "[198.51.100.7:80",
    '"198.51.100.7"',
    "for=198.51.100.7",
    "-1",
    "0x7f.1",
    `2001:db8::9%${"z".repeat(40)}`,
    "💥",
    "\0",
    "<script>",
  ];
  for (const hop of garbage) {
    test(JSON.stringify(hop), () => {
      const of = clientAddress(trusted);

      expect(of(peer, hop)).toBe(peer);
      expect(of(peer, `198.51.100.7, ${hop}, 10.1.1.1`)).toBe("10.1.1.1");
    });
  }
});

test("of ten thousand hops, only the last ones are parsed", () => {
  const of = clientAddress(["127.0.0.1", "10.0.0.0/8"]);
  const hops = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);

  expect(of("127.0.0.1", ["198.51.100.7", ...hops].join(","))).toBe(hops.at(-20) ?? "");
});

test("any header gives an address, and nothing throws", () => {
  const of = clientAddress(["127.0.0.1", "10.0.0.0/8", "::1"]);
  const random = seededRandom(3);
  const parts = [
    "10.1.1.1",
    "::1",
    "198.51.100.7",
    "[",
    "]",
    ":",
    ",",
    " ",
    "::ffff:",
    "1",
    ".",
    "%eth0",
    "é",
    "\t",
    "/8",
  ];

  for (let round = 0; round < 5_000; round++) {
    const header = Array.from({ length: Math.floor(random() * 12) }, () => pick(random, parts)).join("");
    const address = of("127.0.0.1", header);
    expect({ header, family: isIP(address) > 0 }).toEqual({ header, family: true });
  }
});

test("repeated calls for a peer give the same result", () => {
  const of = clientAddress(["10.0.0.0/8"]);

  const answers = Array.from({ length: 5 }, () => [of("10.1.1.1", "198.51.100.7"), of("11.1.1.1", "198.51.100.7")]);

  expect(answers).toEqual(Array(5).fill(["198.51.100.7", "11.1.1.1"]));
});
