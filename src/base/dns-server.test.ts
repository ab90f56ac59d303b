import { expect, test } from "bun:test";
import { readDnsServer } from "./dns-server.ts";

const cases: [string, boolean][] = [
  ["192.0.2.53", true],
  ["192.0.2.53:5353", true],
  ["2001:db8::53", true],
  ["[2001:db8::53]:5353", true],
  ["[2001:db8::53]", false],
  ["[192.0.2.53]:53", false],
  ["192.0.2.53:0", false],
  ["192.0.2.53:65536", false],
  ["192.0.2.53:", false],
  ["dns.example.com", false],
  ["udp://192.0.2.53", false],
  ["", false],
];

test.each(cases)("%j names a DNS server: %p", (text, expected) => {
  expect(readDnsServer(text) !== undefined).toBe(expected);
});
