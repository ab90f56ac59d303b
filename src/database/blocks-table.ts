import type { Generated } from "kysely";

/** The kinds of objects that the operator can block. */
export type BlockKind = "link" | "workspace" | "user" | "domain" | "host";

/** Blocks by the operator; see access/blocks.ts. */
export type BlocksTable = {
  id: Generated<number>;
  kind: BlockKind;
  /** The id of the object, or the name of the host. Unique with `kind`. */
  target: string;
  /**
   * The short link (slug, slash, key) or slug at the time of the block; null for other kinds. By it, the block outlasts
   * its object.
   */
  name: string | null;
  reason: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
};
