import type { LinkCountPage, LinkCounts } from "../../recount.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { rollupBucketMs, sqlNames } from "./star-schema.ts";

/**
 * Compiles the counts of a page of links, together with all cursors: one statement reads both from one snapshot. Pure.
 */
export function compileLinkCounts({ workspaceId, after, limit }: LinkCountPage): CompiledQuery {
  const counted = `"workspaceId" = $1 AND "bot" = 0 AND "link" IN (SELECT "number" FROM numbers)`;
  const sql = `
WITH page AS (
  SELECT DISTINCT "linkId" FROM "links" WHERE "workspaceId" = $1 AND "linkId" > $2 ORDER BY "linkId" LIMIT $3
), numbers AS (
  SELECT "linkId", "number" FROM "links" WHERE "workspaceId" = $1 AND "linkId" IN (FROM page)
), counted AS (
  SELECT "link", count(*) AS "clicks", max("time") AS "lastFrom", max("time") AS "lastTo"
  FROM facts WHERE ${counted} GROUP BY "link"
  UNION ALL
  SELECT "link", sum("clicks"), max("time"), max("time") + ${rollupBucketMs - 1}
  FROM ${sqlNames.expiredRollup} WHERE ${counted} GROUP BY "link"
)
SELECT 'cursor' AS "kind", "spoolId" AS "id", "position" AS "number", NULL AS "lastFrom", NULL AS "lastTo" FROM cursors
UNION ALL
SELECT 'link', "linkId", coalesce(sum(counted."clicks"), 0)::BIGINT, max("lastFrom"), max("lastTo")
FROM numbers LEFT JOIN counted ON counted."link" = numbers."number"
GROUP BY "linkId"
ORDER BY "kind", "id"`.trim();
  return { sql, parameters: [workspaceId, after, limit] };
}

/** The counts in the rows of the compiled query. */
export function linkCounts(rows: Row[], { limit }: LinkCountPage): LinkCounts {
  const cursors = rows.filter(({ kind }) => kind === "cursor");
  const links = rows.filter(({ kind }) => kind === "link");
  const last = links.length < limit ? undefined : links.at(-1);
  return {
    cursors: Object.fromEntries(cursors.map((row) => [String(row["id"]), Number(row["number"])])),
    links: links.flatMap((row) => {
      const clicks = Number(row["number"]);
      const lastClicked = { from: Number(row["lastFrom"]), to: Number(row["lastTo"]) };
      return clicks === 0 ? [] : [{ linkId: String(row["id"]), clicks, lastClicked }];
    }),
    upTo: last === undefined ? undefined : String(last["id"]),
  };
}
