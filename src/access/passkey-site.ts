import { isIP } from "node:net";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { hasPasswordSignIn } from "./password-sign-in.ts";

/**
 * Where passkeys of this instance work: on pages of one origin. Browsers offer passkeys over HTTPS and on localhost only,
 * and tie each to a host name.
 */
export type PasskeySite =
  | { kind: "on"; host: string; origin: string }
  /** WAYPOST_URL is neither https nor localhost. */
  | { kind: "needsHttps" }
  /** The host of WAYPOST_URL is an IP address. */
  | { kind: "needsHostName" }
  /** People sign in with the identity provider only: it alone decides who may sign in. */
  | { kind: "off" };

/** The options that decide whether passkeys work. */
export type PasskeyOptions = Pick<Config, "WAYPOST_URL" | "WAYPOST_PASSWORD_SIGN_IN">;

/** Where passkeys work by these options, or why they do not. */
export function passkeySite(options: PasskeyOptions): PasskeySite {
  const { protocol, hostname: host, origin } = options.WAYPOST_URL;
  if (!hasPasswordSignIn(options)) return { kind: "off" };
  if (isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0) return { kind: "needsHostName" };
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  return protocol === "https:" || isLocal ? { kind: "on", host, origin } : { kind: "needsHttps" };
}

/** The host whose passkeys work; undefined if none do. */
export function passkeyHost(options: PasskeyOptions): string | undefined {
  const site = passkeySite(options);
  return site.kind === "on" ? site.host : undefined;
}

/**
 * The host and origin of this instance's passkeys. Throws "forbidden" while the identity provider is the only way to sign
 * in, "unprocessable_entity" where browsers offer none.
 */
export function requirePasskeySite(options: PasskeyOptions): Extract<PasskeySite, { kind: "on" }> {
  const site = passkeySite(options);
  switch (site.kind) {
    case "on":
      return site;
    case "off":
      throw new Problem("forbidden", "People sign in to this service with its identity provider only.");
    case "needsHttps":
      throw new Problem(
        "unprocessable_entity",
        "Passkeys need HTTPS. The operator of this service can set WAYPOST_URL to an https URL.",
      );
    case "needsHostName":
      throw new Problem(
        "unprocessable_entity",
        "Passkeys need a host name, not an IP address. The operator of this service can set WAYPOST_URL to one.",
      );
  }
}
