/**
 * The click, in the forms it takes on its way.
 *
 * 1. CapturedClick is what the redirect appends to the spool. The address is already gone: place and visitor were
 *    taken from it in memory. The user agent is still raw, because classifying it is work the visitor must not wait for.
 *    What clicks have in common is shared between them, so that the spool writes it once and capturing copies nothing.
 * 2. SpooledClick is the same as the spool's readers find it.
 * 3. Click is what a store holds, after enrichment.
 *
 * Unknown texts are "" everywhere; only reports put a label on them.
 */

/** Version of what the spool says of a click; a reader refuses versions it does not know. */
export const spooledClickVersion = 3;

/** How the visitor came: by following the link, or by scanning its QR code (`qr=1`). */
export type Trigger = "link" | "qr";

/** A value that many clicks have in common, such as a user agent. The spool writes it once in each segment. */
export class Shared<Value> {
  readonly value: Value;
  /**
   * The notes of the frame encoder: the segment it was written in last, its number there, the byte at which it was
   * introduced, and the byte from which it is repeated.
   */
  writtenIn: object | undefined;
  number = 0;
  introducedAt = 0;
  repeatAt = 0;

  constructor(value: Value) {
    this.value = value;
  }
}

/** What was clicked: the same for all clicks of a link until somebody changes it. */
export type ClickTarget = {
  readonly workspaceId: number;
  readonly linkId: string;
  /** The domain's id: it stays when the domain is renamed, and a link's clicks stay with it when the link moves on. */
  readonly domainId: string;
  /** The domain's slug at the time of the click. */
  readonly domain: string;
  readonly key: string;
  /** The destination of visitors that no rule and no query sends elsewhere; at most clickUrlMax characters. */
  readonly url: string;
};

/** A click as the redirect appends it: facts that are known at once, without the address. */
export type CapturedClick = {
  /** Milliseconds since the epoch, UTC. */
  time: number;
  target: Shared<ClickTarget>;
  /**
   * The destination actually answered, query included, where it is not the target's; at most clickUrlMax characters.
   * Shared where others of the link's visitors get the same.
   */
  url: string | Shared<string> | undefined;
  place: Shared<Place>;
  /** The Referer header without query and fragment, at most clickHeaderMax characters. */
  referer: Shared<string>;
  /** The raw User-Agent header, at most clickHeaderMax characters. */
  agent: Shared<string>;
  /** First language of Accept-Language, lower case primary tag such as "en". */
  language: Shared<string>;
  trigger: Trigger;
  /** What capture itself could see of the request being no human's; agent-based kinds are added by enrichment. */
  bot: BotKind | "";
  /** The two halves of the visitor's hash, as signed 32-bit numbers; both 0 when the visitor asked not to be tracked. */
  visitorHigh: number;
  visitorLow: number;
};

/** Where a visitor was; each part is "" when unknown. */
export type Place = {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 3166-2, such as "US-CA". */
  readonly region: string;
  readonly city: string;
  /** AF AN AS EU NA OC SA. */
  readonly continent: string;
};

/** A click as read from the spool. */
export type SpooledClick = ClickTarget &
  Place & {
    /** A UUID of version 8, lower case, made of the spool's identifier and the click's position in it: unique. */
    id: string;
    time: number;
    /** The destination actually answered. */
    url: string;
    referer: string;
    agent: string;
    language: string;
    trigger: Trigger;
    bot: BotKind | "";
    /** 16 hex digits, never all 0: keyed hash of address, user agent and day-salt; "" when the visitor asked not to be tracked. */
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
