/**
 * The click, in the two forms it takes on its way.
 *
 * 1. CapturedClick is what the redirect appends to the spool. The address is already gone: place and visitor were
 *    taken from it in memory. The user agent is still raw, because classifying it is work the visitor must not wait for.
 * 2. Click is what a store holds, after enrichment.
 *
 * Unknown texts are "" everywhere; only reports put a label on them.
 */

/** Version of CapturedClick as written to the spool; a reader refuses versions it does not know. */
export const capturedClickVersion = 2;

/** How the visitor came: by following the link, or by scanning its QR code (`qr=1`). */
export type Trigger = "link" | "qr";

/** A click as the redirect appends it: facts that are known at once, without the address. */
export type CapturedClick = {
  /** UUID version 7, lower case; unique per answer. */
  id: string;
  /** Milliseconds since the epoch, UTC. */
  time: number;
  workspaceId: number;
  linkId: string;
  /** The domain's id: it stays when the domain is renamed, and a link's clicks stay with it when the link moves on. */
  domainId: string;
  /** The domain's slug at the time of the click. */
  domain: string;
  key: string;
  /** The destination actually answered, query included; at most clickUrlMax characters. */
  url: string;
  /** ISO 3166-1 alpha-2, upper case. */
  country: string;
  /** ISO 3166-2, such as "US-CA". */
  region: string;
  city: string;
  /** AF AN AS EU NA OC SA. */
  continent: string;
  /** The Referer header without query and fragment, at most clickHeaderMax characters. */
  referer: string;
  /** The raw User-Agent header, at most clickHeaderMax characters. */
  agent: string;
  /** First language of Accept-Language, lower case primary tag such as "en". */
  language: string;
  trigger: Trigger;
  /** What capture itself could see of the request being no human's; agent-based kinds are added by enrichment. */
  bot: BotKind | "";
  /** 16 hex digits: keyed hash of address, user agent and day-salt; "" when the visitor asked not to be tracked. */
  visitor: string;
};

/** Kinds of non-human requests. */
export const botKinds = ["search", "preview", "ai", "monitor", "tool", "prefetch", "head"] as const;
export type BotKind = (typeof botKinds)[number];

/** A click as a store holds it, after enrichment. */
export type Click = {
  id: string;
  time: number;
  workspaceId: number;
  linkId: string;
  domainId: string;
  domain: string;
  key: string;
  url: string;
  country: string;
  region: string;
  city: string;
  continent: string;
  /** Desktop, Mobile or Tablet. */
  device: string;
  browser: string;
  os: string;
  /** Host of the referrer without "www."; "" when there was none. */
  referer: string;
  /** Referrer without query and fragment; "" when there was none. */
  refererUrl: string;
  language: string;
  trigger: Trigger;
  /** "" for a human. */
  bot: BotKind | "";
  visitor: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
};

/** The most characters kept of a url, and of a header. */
export const clickUrlMax = 2_000;
export const clickHeaderMax = 512;
