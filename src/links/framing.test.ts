import { expect, test } from "bun:test";
import { refusesFrame } from "./framing.ts";

const url = "https://example.com/page";
const origin = "https://go.example.org";

test.each([
  ["", ""],
  ["", "ALLOW-FROM https://elsewhere.example"],
  ["", "nonsense"],
  ["default-src 'none'", ""],
  ["frame-ancestors *", ""],
  ["frame-ancestors *", "DENY"],
  ["frame-ancestors https:", ""],
  ["frame-ancestors http:", ""],
  ["frame-ancestors go.example.org", ""],
  ["Frame-Ancestors GO.example.org", ""],
  ["frame-ancestors https://go.example.org", "SAMEORIGIN"],
  ["frame-ancestors http://go.example.org", ""],
  ["frame-ancestors https://go.example.org:443", ""],
  ["frame-ancestors go.example.org:*", ""],
  ["frame-ancestors https://*.example.org", ""],
  ["frame-ancestors 'self' https://a.example https://go.example.org/path", ""],
  ["default-src 'self'; frame-ancestors *; frame-ancestors 'none'", ""],
  ["frame-ancestors *, default-src 'none'", ""],
])("CSP %j and X-Frame-Options %j allow a frame", (policy, option) => {
  const fields = { "content-security-policy": policy, "x-frame-options": option };

  expect(refusesFrame(fields, { url, origin })).toBe(false);
});

test.each([
  ["", "DENY"],
  ["", "deny"],
  ["", "SAMEORIGIN"],
  ["", "SAMEORIGIN, SAMEORIGIN"],
  ["", "DENY, SAMEORIGIN"],
  ["", "ALLOWALL, nonsense"],
  ["default-src *", "DENY"],
  ["frame-ancestors 'none'", ""],
  ["frame-ancestors", ""],
  ["frame-ancestors 'self'", ""],
  ["frame-ancestors 'self'", "ALLOWALL"],
  ["frame-ancestors example.org", ""],
  ["frame-ancestors *.go.example.org", ""],
  ["frame-ancestors https://go.example.org:8443", ""],
  ["frame-ancestors wss:", ""],
  ["default-src 'self'; frame-ancestors https://a.example", ""],
  ["frame-ancestors *, frame-ancestors 'none'", ""],
])("CSP %j and X-Frame-Options %j refuse a frame", (policy, option) => {
  const fields = { "content-security-policy": policy, "x-frame-options": option };

  expect(refusesFrame(fields, { url, origin })).toBe(true);
});

test.each([
  ["", "SAMEORIGIN"],
  ["frame-ancestors 'self'", ""],
])("a page of the short link's own origin may be framed with CSP %j and X-Frame-Options %j", (policy, option) => {
  const fields = { "content-security-policy": policy, "x-frame-options": option };

  expect(refusesFrame(fields, { url: `${origin}/page`, origin })).toBe(false);
});
