import { minuteMs } from "../../../base/time.ts";
import { type ClickExport, type ExportFile, exportTimeMaxMs } from "../../export.ts";
import type { MovableClickStore } from "../../move.ts";
import type { ClickStore } from "../../store.ts";
import { streamExport } from "../../stream-export.ts";
import { clickRow } from "../click-row.ts";
import { applyDeletions } from "./apply-deletions.ts";
import type { BatchLog } from "./batch-log.ts";
import { compileExport } from "./compile-export.ts";
import { compileQuery } from "./compile-query.ts";
import {
  compileAppendedSince,
  compileFirstClick,
  compileLastClicks,
  compileLinkCounts,
  compilePage,
} from "./compile-reads.ts";
import { StoreConnection } from "./connection.ts";
import { erase } from "./erase.ts";
import { deleteExpired, expire } from "./expire.ts";
import { ExportFiles } from "./export-files.ts";
import { insert } from "./insert.ts";
import { materializeProjections } from "./materialize-projections.ts";
import { clickHouseMove } from "./move.ts";
import { readLastClick, readLinkCounts } from "./read-answers.ts";
import { clickOf } from "./rows.ts";
import { bucketMs, type Topology } from "./schema.ts";

/** The options of a store in ClickHouse. */
export type ClickHouseOptions = Topology & {
  /** The URL with user, password and database. */
  url: string;
  /** The folder of exports. */
  exportsFolder: string;
  /** The longest a query may take; a minute by default. */
  queryTimeMaxMs?: number;
  /** How long an insert waits for its answer before it fails and can be repeated; two minutes by default. */
  insertTimeMaxMs?: number;
  /** The current time in milliseconds; that of the process by default. */
  now?: () => number;
};

/** ClickHouse prefers few large inserts, and PostgreSQL records each batch. */
export const batchClicksMax = 20_000;

/**
 * Opens a click store in ClickHouse. Several processes may have it open. Connects when it is first used, and creates
 * the tables then if they are absent.
 */
export function openClickHouseStore(options: ClickHouseOptions, log: BatchLog): MovableClickStore {
  const { url, cluster, exportsFolder, queryTimeMaxMs = minuteMs, now = Date.now } = options;
  const { insertTimeMaxMs = 2 * minuteMs } = options;
  const connection = new StoreConnection(log, { url, topology: { cluster }, queryTimeMaxMs, insertTimeMaxMs, now });
  const exports = new ExportFiles(exportsFolder);
  const exportToFile = (request: ClickExport, signal: AbortSignal) => beginExport(connection, exports, request, signal);
  return {
    ...reads(connection),
    ...changes(connection),
    batchClicksMax,
    endsWithFailedWrite: false,
    move: clickHouseMove(connection),
    exportToFile,
    export: (request, signal) => streamExport(exportToFile, request, signal),
    copyTo: () => Promise.reject(new Error("Clicks in ClickHouse are not copied; ClickHouse backs them up.")),
    close: () => connection.close(() => exports.close()),
  };
}

function reads(connection: StoreConnection) {
  const { log, expiries, firstClicks } = connection;
  const read: StoreConnection["read"] = (statement) => connection.read(statement);
  return {
    async storeId() {
      const { storeId } = await connection.open();
      // Asked each time, because callers want to know whether the store answers.
      await read({ sql: "SELECT 1", parameters: {} });
      return storeId;
    },
    cursor: (spoolId) => log.cursor(spoolId),
    openBatch: (spoolId) => log.openBatch(spoolId),
    query: async (query) => (await read(compileQuery(query, await expiries.find(query.workspaceId)))).map(clickRow),
    firstClick: (query) =>
      firstClicks.find(query, async () => {
        const [row] = await read(compileFirstClick(query, await expiries.find(query.workspaceId)));
        const first = row?.["first"];
        return typeof first === "number" ? Math.floor(first / bucketMs) * bucketMs : undefined;
      }),
    async lastClicks(links) {
      if (links.linkIds.length === 0) return [];
      return (await read(compileLastClicks(links, await expiries.find(links.workspaceId)))).map(readLastClick);
    },
    page: async (page) => (await read(compilePage(page, await expiries.find(page.workspaceId)))).map(clickOf),
    async appendedSince(appended) {
      const expiry = await expiries.find(appended.selection.workspaceId);
      return (await read(compileAppendedSince(appended, expiry, await log.numbersOf(appended.range)))).map(clickOf);
    },
    async linkCounts(page) {
      const expiry = await expiries.find(page.workspaceId);
      const snapshot = await log.snapshot();
      return readLinkCounts(await read(compileLinkCounts(page, expiry, snapshot)), snapshot, page);
    },
    // ClickHouse counts the clicks themselves, so there is no rollup that could differ from them.
    recountRollup: async () => ({ compared: 0, differences: [], differencesCount: 0 }),
  } satisfies Partial<ClickStore>;
}

function changes(connection: StoreConnection) {
  return {
    // Also after a failure, because rows may have been stored.
    insert: (batch, rows) =>
      connection.insert(() => insert(connection, batch, rows)).finally(() => connection.firstClicks.add(rows)),
    erase: (scope) =>
      connection.change(() => erase(connection, scope)).finally(() => connection.firstClicks.forget(scope.workspaceId)),
    expire: (scope) => connection.change(() => expire(connection, scope)),
    async maintain(signal) {
      const ending = AbortSignal.any([signal, connection.closing]);
      return await connection.change(async () => {
        const isDeleted = await deleteExpired(connection, ending);
        const isApplied = await applyDeletions(connection, ending);
        await materializeProjections(connection, ending);
        return isApplied || isDeleted;
      });
    },
  } satisfies Partial<ClickStore>;
}

async function beginExport(
  connection: StoreConnection,
  exports: ExportFiles,
  request: ClickExport,
  signal: AbortSignal,
): Promise<ExportFile> {
  const ending = AbortSignal.any([signal, connection.closing]);
  ending.throwIfAborted();
  await connection.open();
  const { clickHouse, expiries, log } = connection;
  const expiry = await expiries.find(request.selection.workspaceId);
  const statements = compileExport(request, expiry, await log.snapshot());
  const source = {
    count: (inTime: AbortSignal) => clickHouse.read(statements.count, exportTimeMaxMs, inTime),
    stream: (inTime: AbortSignal) => clickHouse.stream(statements.rows, exportTimeMaxMs, inTime),
  };
  return await exports.begin(request.format, source, ending);
}
