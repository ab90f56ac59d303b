import type { ColumnType } from "kysely";

/** Tables about links, besides the table of links; see schema.ts. Instants are milliseconds. */

/** Scheduled checks whether destinations may be framed; see links/check-framing.ts. */
export type FramingChecksTable = {
  linkId: string;
  /** That of the link. */
  workspaceId: number;
  dueAt: number;
  /** Checks so far that got no answer. */
  tries: number;
};

/** Icons of destinations; see links/destination-icons.ts. */
export type DestinationIconsTable = {
  workspaceId: number;
  /** Scheme, host and port, such as https://example.com. */
  origin: string;
  /** The media type, detected from the image; null when the origin has no usable icon. */
  type: string | null;
  /** Base 64; null when the type is. */
  image: string | null;
  fetchedAt: number;
};

/** Clicks of links with maxClicks, counted before the visitor gets a response; see links/click-limit.ts. */
export type LinkUsesTable = {
  linkId: string;
  uses: number;
};

/** Released keys: of deleted links until a link takes them, of renamed links for keyHoldMs. */
export type ReleasedKeysTable = {
  domainId: string;
  foldedKey: string;
  workspaceId: number;
  releasedAt: number;
  /** 1 when the link was deleted, 0 when it has another key now. */
  isDeleted: ColumnType<0 | 1, 0 | 1 | undefined, 0 | 1>;
};
