import { describe, expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { passkeyHost, passkeySite, requirePasskeySite } from "./passkey-site.ts";

/** TABLE of instances: URL, whether people sign in with passwords, and where passkeys work. */
const sites: [string, "on" | "off", string][] = [
  ["https://links.example.com", "on", "links.example.com https://links.example.com"],
  ["https://links.example.com:8443", "on", "links.example.com https://links.example.com:8443"],
  ["http://localhost:3000", "on", "localhost http://localhost:3000"],
  ["http://app.localhost:3000", "on", "app.localhost http://app.localhost:3000"],
  ["http://links.example.com", "on", "needsHttps"],
  ["http://localhost.example.com", "on", "needsHttps"],
  ["https://192.0.2.1", "on", "needsHostName"],
  ["http://127.0.0.1:3000", "on", "needsHostName"],
  ["https://[2001:db8::1]", "on", "needsHostName"],
  ["https://links.example.com", "off", "off"],
  ["http://192.0.2.1", "off", "off"],
];

describe("passkeys", () => {
  test.each(sites)("of %s with password sign-in %s work at: %s", (url, passwords, expected) => {
    const site = passkeySite({ WAYPOST_URL: new URL(url), WAYPOST_PASSWORD_SIGN_IN: passwords });

    expect(site.kind === "on" ? `${site.host} ${site.origin}` : site.kind).toBe(expected);
  });

  test("are refused where they do not work, with the reason", async () => {
    const refused = async (url: string, passwords: "on" | "off") => {
      const options = { WAYPOST_URL: new URL(url), WAYPOST_PASSWORD_SIGN_IN: passwords };
      const problem = await problemOf((async () => requirePasskeySite(options))());
      return [passkeyHost(options), problem?.code];
    };

    expect([
      await refused("https://links.example.com", "off"),
      await refused("http://links.example.com", "on"),
      await refused("https://192.0.2.1", "on"),
    ]).toEqual([
      [undefined, "forbidden"],
      [undefined, "unprocessable_entity"],
      [undefined, "unprocessable_entity"],
    ]);
  });
});
