import type { ColumnType } from "kysely";

/** Tables about links beside the links' own; see schema.ts. Instants are milliseconds. */

/** Links whose destinations have to be asked whether they may be framed; see links/check-framing.ts. */
export type FramingChecksTable = {
  linkId: string;
  dueAt: number;
  /** How often it was asked in vain. */
  tries: number;
};

/** How often links with maxClicks were clicked, counted before the visitor is answered; see links/click-limit.ts. */
export type LinkUsesTable = {
  linkId: string;
  uses: number;
};

/** Keys that links gave up: of deleted links until they are taken again, of renamed ones for keyHoldMs. */
export type ReleasedKeysTable = {
  domainId: string;
  foldedKey: string;
  workspaceId: number;
  releasedAt: number;
  /** 1 when the link was deleted, 0 when it has another key now. */
  isDeleted: ColumnType<0 | 1, 0 | 1 | undefined, 0 | 1>;
};
