/**
 * A click, in its three forms.
 *
 * 1. CapturedClick: the redirect appends it to the spool. It has no address: place and visitor hash were derived from
 *    it in memory. Its user agent is still raw, because the visitor must not wait for its classification. Clicks share
 *    equal values, so that the spool writes each once and capturing copies nothing.
 * 2. SpooledClick: the same click as the spool's readers get it.
 * 3. Click: the enriched click in a store.
 *
 * Unknown texts are "" everywhere; only reports label them.
 */

/** Version of a click's fields in the spool; readers refuse unknown versions. */
export const spooledClickVersion = 3;

/** How the visitor came: by the link, or by its QR code (`qr=1`). */
export type Trigger = "link" | "qr";

/** A value that many clicks share, such as a user agent. The spool writes it once per segment. */
export class Shared<Value> {
  readonly value: Value;
  /**
   * State of the frame encoder: the segment it was written to last, its number there, the byte offset of its first
   * occurrence, and the offset from which it is repeated.
   */
  writtenIn: object | undefined;
  number = 0;
  introducedAt = 0;
  repeatAt = 0;

  constructor(value: Value) {
    this.value = value;
  }
}

/** The clicked link: the same for all its clicks until the link changes. */
export type ClickTarget = {
  readonly workspaceId: number;
  readonly linkId: string;
  /** The domain's id: it survives a rename of the domain, and a link's clicks keep it when the link moves. */
  readonly domainId: string;
  /** The domain's slug at the time of the click. */
  readonly domain: string;
  readonly key: string;
  /** The destination of visitors without a matching rule or query; at most clickUrlMax characters. */
  readonly url: string;
};

/** A click as the redirect appends it, without the address. */
export type CapturedClick = {
  /** Milliseconds since the epoch, UTC. */
  time: number;
  target: Shared<ClickTarget>;
  /**
   * The actual destination, query included, if it differs from the target's; at most clickUrlMax characters. Shared if
   * other visitors of the link get the same one.
   */
  url: string | Shared<string> | undefined;
  place: Shared<Place>;
  /** The Referer header without query and fragment, at most clickHeaderMax characters. */
  referer: Shared<string>;
  /** The raw User-Agent header, at most clickHeaderMax characters. */
  agent: Shared<string>;
  /** The primary tag of the preferred language in Accept-Language, in lower case, such as "en". */
  language: Shared<string>;
  trigger: Trigger;
  /** The kind of bot that the request itself shows; enrichment adds kinds by user agent. */
  bot: BotKind | "";
  /** The halves of the visitor hash, as signed 32-bit numbers; both 0 for a visitor who asked not to be tracked. */
  visitorHigh: number;
  visitorLow: number;
};

/** The place of a visitor; each part is "" when unknown. */
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
    /** A UUID of version 8, lower case, from the spool's id and the click's position: unique. */
    id: string;
    time: number;
    /** The actual destination. */
    url: string;
    referer: string;
    agent: string;
    language: string;
    trigger: Trigger;
    bot: BotKind | "";
    /**
     * 16 hex digits, never all 0: keyed hash of address, user agent and the day's salt; "" for a visitor who asked not
     * to be tracked.
     */
    visitor: string;
  };

/** Kinds of non-human requests. */
export const botKinds = ["search", "preview", "ai", "monitor", "tool", "prefetch", "head"] as const;
export type BotKind = (typeof botKinds)[number];

/** A click in a store, after enrichment. */
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
  /** Host of the referrer without "www."; "" without a referrer. */
  referer: string;
  /** Referrer without query and fragment; "" without a referrer. */
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

/** The most characters kept of a URL, and of a header. */
export const clickUrlMax = 2_000;
export const clickHeaderMax = 512;
