/** Tables of nodes that share a database, and of their clicks in ClickHouse; they belong to no workspace. See schema.ts. */
export type NodeTables = {
  nodes: NodesTable;
  nodeSpools: NodeSpoolsTable;
  leaders: LeadersTable;
  clickCursors: ClickCursorsTable;
  clickBatches: ClickBatchesTable;
  clickBatchCounter: ClickBatchCounterTable;
};

/** A process of Waypost with a data folder. */
type NodesTable = {
  id: string;
  /** The name of its machine. */
  host: string;
  version: string;
  /** "stopped" after a clean shutdown, once the last click of its spools was read. */
  state: "running" | "stopped";
  /** When it last reported. */
  seenAt: number;
  /** When its replica last had every change; null while it starts. */
  copyAt: number | null;
};

/** The spool of a node, as of its last report. Positions; see clicks/spool.ts. */
type NodeSpoolsTable = {
  spoolId: string;
  nodeId: string;
  end: number;
  /** Clicks before these positions are stored, and counted on their links. */
  stored: number;
  counted: number;
};

/** The node that leads, and how often the leader has changed. */
type LeadersTable = { name: string; nodeId: string; token: number };

/** With clicks in ClickHouse, the end of a spool's stored clicks; see clicks/stores/clickhouse/batch-log.ts. */
type ClickCursorsTable = {
  spoolId: string;
  position: number;
};

/** With clicks in ClickHouse, a batch of a spool's clicks that is stored or being stored. `from` and `to` are positions. */
type ClickBatchesTable = {
  number: number;
  spoolId: string;
  from: number;
  to: number;
  isStored: 0 | 1;
  recordedAt: number;
};

/** The number of the last batch, in one row, and the id of the store in ClickHouse that has the batches; null before the first. */
type ClickBatchCounterTable = { name: "batches"; last: number; storeId: string | null };
