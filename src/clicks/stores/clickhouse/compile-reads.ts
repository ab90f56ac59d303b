/** Compiles the reads of a store other than its queries. Pure; tests compare the SQL with golden files. */
import type { ClickPage, FirstClickQuery, LinkSelection } from "../../query.ts";
import type { LinkCountPage } from "../../recount.ts";
import { firstClickId } from "../../spool-format.ts";
import type { AppendedSince } from "../../store.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import { conditions, inSnapshot, notHidden } from "./compile-query.ts";
import type { Expiry } from "./expiries.ts";
import { selectedClick } from "./rows.ts";
import { bucketMs } from "./schema.ts";
import { binding, millisecondsOf, type Statement } from "./sql.ts";

/**
 * Compiles the query for the time of a workspace's first click before an instant; `first` is null without such clicks. It
 * reads no month after that instant.
 */
export function compileFirstClick({ workspaceId, before }: FirstClickQuery, { generation }: Expiry): Statement {
  const { parameters, bind } = binding();
  const scope = `workspaceId = ${bind("UInt32", workspaceId)} AND time < fromUnixTimestamp64Milli(${bind("Int64", before)}, 'UTC')`;
  const sql = `SELECT min(first) AS first FROM (
SELECT minOrNull(${millisecondsOf("time")}) AS first FROM clicks WHERE ${scope}
UNION ALL
SELECT minOrNull(${millisecondsOf("time")}) FROM expired_clicks
WHERE ${scope} AND generation <= ${bind("UInt64", generation)}
)`;
  return { sql, parameters };
}

/** Compiles the query for the last clicks of links. */
export function compileLastClicks({ workspaceId, linkIds }: LinkSelection, { hidden, generation }: Expiry): Statement {
  const { parameters, bind } = binding();
  const scope = `workspaceId = ${bind("UInt32", workspaceId)} AND linkId IN ${bind("Array(String)", linkIds)}`;
  const sql = `SELECT linkId, ${millisecondsOf("max(time)")} AS time, argMax((domainId, domain, key), time) AS target,
  argMaxIf(url, time, isStored) AS url
FROM (
SELECT linkId, time, domainId, domain, key, url, true AS isStored FROM clicks
WHERE ${[scope, ...notHidden(hidden, bind)].join(" AND ")}
UNION ALL
SELECT linkId, time, domainId, domain, key, '', false FROM expired_clicks FINAL
WHERE ${scope} AND generation <= ${bind("UInt64", generation)}
)
GROUP BY linkId`;
  return { sql, parameters };
}

/** Compiles the query for a page of clicks. Clicks of the same time are ordered by the digits of their ids. */
export function compilePage(page: ClickPage, expiry: Expiry): Statement {
  const { parameters, bind } = binding();
  const direction = page.order === "newestFirst" ? "DESC" : "ASC";
  const sql = `SELECT ${selectedClick}
FROM clicks
WHERE ${conditions(page, expiry, bind)}
ORDER BY clicks.time ${direction}, UUIDToNum(clicks.id) ${direction}
LIMIT ${bind("UInt64", page.limit)} OFFSET ${bind("UInt64", page.offset)}`;
  return { sql, parameters };
}

/**
 * Compiles the query for clicks that were appended to a spool in a range. `numbers` are those of the batches with the
 * range, if they are known: ClickHouse skips the parts without them.
 */
export function compileAppendedSince(
  { selection, range: { spoolId, from, to }, limit }: AppendedSince,
  expiry: Expiry,
  numbers: { lowest: number; highest: number } | undefined,
): Statement {
  const { parameters, bind } = binding();
  const id = (position: number) => `UUIDToNum(toUUID(${bind("String", firstClickId(spoolId, position))}))`;
  const all = [
    conditions(selection, expiry, bind),
    `UUIDToNum(clicks.id) >= ${id(from)}`,
    `UUIDToNum(clicks.id) < ${id(to)}`,
    ...(numbers === undefined
      ? []
      : [`batch BETWEEN ${bind("UInt64", numbers.lowest)} AND ${bind("UInt64", numbers.highest)}`]),
  ];
  const sql = `SELECT ${selectedClick}
FROM clicks
WHERE ${all.join("\n  AND ")}
ORDER BY UUIDToNum(clicks.id)
LIMIT ${bind("UInt64", limit)}`;
  return { sql, parameters };
}

/** Compiles the counts of a page of links, as of a snapshot of the batches. */
export function compileLinkCounts(
  { workspaceId, after, limit }: LinkCountPage,
  { hidden, generation }: Expiry,
  snapshot: BatchSnapshot,
): Statement {
  const { parameters, bind } = binding();
  const scope = `workspaceId = ${bind("UInt32", workspaceId)} AND linkId > ${bind("String", after)}`;
  const batches = inSnapshot(snapshot, bind);
  const end = `GROUP BY linkId ORDER BY linkId LIMIT ${bind("UInt64", limit)}`;
  const time = millisecondsOf("time");
  const sql = `SELECT linkId, sum(clicks) AS clicks, max(lastFrom) AS lastFrom, max(lastTo) AS lastTo
FROM (
SELECT linkId, countIf(bot = '') AS clicks, maxIf(${time}, bot = '') AS lastFrom, lastFrom AS lastTo FROM clicks
WHERE ${[scope, ...batches, ...notHidden(hidden, bind)].join(" AND ")}
${end}
UNION ALL
SELECT linkId, sumIf(clicks, NOT isBot), maxIf(${time}, NOT isBot), maxIf(${time} + ${bucketMs - 1}, NOT isBot)
FROM expired_clicks FINAL
WHERE ${scope} AND generation <= ${bind("UInt64", generation)}
${end}
)
${end}`;
  return { sql, parameters };
}
