/** A link as the soak test knows it: what it has confirmed, and what calls on their way may have changed already. */
import type { Random } from "../clicks.ts";

/** TABLE of the kinds of links, with their fields besides `url` and `key`, and how often they are made. */
export const linkKinds = {
  plain: { share: 8, fields: () => ({}) },
  rules: {
    share: 2,
    fields: (url: string) => ({ rules: [{ when: { device: "Mobile" }, url: `${url}/mobile` }] }),
  },
  test: {
    share: 2,
    fields: (url: string) => ({
      testVariants: [
        { url: `${url}/a`, percentage: 50 },
        { url: `${url}/b`, percentage: 50 },
      ],
    }),
  },
  limited: { share: 2, fields: () => ({ maxClicks: clicksOfLimited }) },
  password: { share: 1, fields: () => ({ password: soakPassword }) },
  expired: { share: 1, fields: () => ({ expiresAt: "2020-01-01T00:00:00.000Z" }) },
} satisfies Record<string, { share: number; fields(url: string): object }>;

/** A kind of link. */
export type LinkKind = keyof typeof linkKinds;
/** maxClicks of a link with a limit. */
export const clicksOfLimited = 20;
/** The password of every link that has one. */
export const soakPassword = "open sesame";

/** A period on the server's clock, in milliseconds, during which an event has happened. */
export type Period = { from: number; to: number };

/**
 * An answered purge: the last instant, on the server's clock, whose clicks it removed, and when it was sent, a
 * time of performance.now().
 */
type SoakedPurge = { until: number; sentAt: number };

/** A link of the model. `serial` is in the URL of each of its destinations. */
export type SoakedLink = {
  serial: number;
  kind: LinkKind;
  workspaceId: number;
  host: string;
  key: string;
  /** The id; undefined until its creation was answered. */
  id: string | undefined;
  comments: string | null;
  tagIds: string[];
  /** The version in the destination: the last confirmed one, and the highest one that was sent. */
  version: number;
  sentVersion: number;
  state: "live" | "deleting" | "deleted" | "replaced";
  /** Recorded changes: the creation, each update, the deletion. */
  changes: number;
  purges: SoakedPurge[];
  /** Redirects that visitors received, and those that may have been made for cut connections. */
  redirected: number;
  cut: number;
};

let serials = 0;

/** A link that has not been created yet. */
export function newSoakedLink(
  kind: LinkKind,
  place: { workspaceId: number; host: string; key?: string | undefined },
): SoakedLink {
  const serial = ++serials;
  return {
    ...{ serial, kind, workspaceId: place.workspaceId, host: place.host, key: place.key ?? `s${serial}` },
    ...{ id: undefined, comments: null, tagIds: [], version: 1, sentVersion: 1, state: "live", changes: 0 },
    ...{ purges: [], redirected: 0, cut: 0 },
  };
}

/** The destination of a version of a link. */
export function destinationOf({ serial }: Pick<SoakedLink, "serial">, version: number): string {
  return `https://example.com/soak/${serial}/${version}`;
}

/** The link, version and token that a Location names; undefined for another URL. */
export function parseDestination(location: string): { serial: number; version: number; variant: string } | undefined {
  const parts = /^https:\/\/example\.com\/soak\/(\d+)\/(\d+)(?:\/(\w+))?(?:\?|$)/.exec(location);
  if (parts === null) return undefined;
  return { serial: Number(parts[1]), version: Number(parts[2]), variant: parts[3] ?? "" };
}

/** A random kind, by its share. */
export function pickKind(random: Random): LinkKind {
  const kinds = Object.keys(linkKinds) as LinkKind[];
  const all = kinds.flatMap((kind) => new Array<LinkKind>(linkKinds[kind].share).fill(kind));
  return all[Math.floor(random() * all.length)] ?? "plain";
}
