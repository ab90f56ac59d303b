import { expect, test } from "bun:test";
import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { publicIp } from "./public-ip.ts";

/** The numbers of an address as another parser reads them. */
function expectedNumbers(text: string) {
  const parsed = ipaddr.process(text);
  if (parsed instanceof ipaddr.IPv4) {
    return { kind: "ipv4", address: parsed.octets.reduce((sum, octet) => sum * 256 + octet, 0) };
  }
  return { kind: "ipv6", groups: parsed.parts };
}

test("a public address has the numbers that another parser reads", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const found = publicIp(text);
      if (found !== undefined) expect(found, text).toMatchObject(expectedNumbers(text));
    }),
    { numRuns: 2_000 },
  );
});

test("a text that is no address has no numbers", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f.:%]{0,20}$/), (text) => {
      if (isIP(text) === 0) expect(publicIp(text), text).toBeUndefined();
    }),
    { numRuns: 5_000 },
  );
});
