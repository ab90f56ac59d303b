import type { Generated } from "kysely";

/** What the operator can block. */
export type BlockKind = "link" | "workspace" | "user" | "domain" | "host";

/** What the operator has blocked; see access/blocks.ts. */
export type BlocksTable = {
  id: Generated<number>;
  kind: BlockKind;
  /** The id of the object, or the name of the host. Unique with `kind`. */
  target: string;
  /** The short link (slug, slash, key) or slug when it was blocked; null for other kinds. The block outlives its object by it. */
  name: string | null;
  reason: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
};
