import type { LastClick, LinkSelection } from "../../query.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { joinDimension, sqlNames } from "./star-schema.ts";

/**
 * Compiles the query for the last clicks of links. Pure. A link has a surrogate key for each domain and key it was
 * clicked at: the query finds the last click of each surrogate key, and then the last of those.
 */
export function compileLastClicks({ workspaceId, linkIds }: LinkSelection): CompiledQuery {
  const sql = [
    `SELECT "links"."linkId", max(last."time") AS "time",`,
    `  unnest(arg_max(struct_pack("domainId", "domain", "key", url := coalesce("urls"."url", '')), last."time"))`,
    "FROM (",
    // Expired clicks have no URL; arg_max takes that of another click, if there is one.
    '  SELECT "link", max("time") AS "time", arg_max("url", "time") AS "url"',
    "  FROM (",
    '    SELECT "workspaceId", "link", "time", "url" FROM facts',
    `    UNION ALL SELECT "workspaceId", "link", "time", NULL FROM ${sqlNames.expiredRollup}`,
    "  )",
    '  WHERE "workspaceId" = $1 AND "link" IN (',
    `    SELECT "number" FROM "links" WHERE "linkId" IN (SELECT unnest(from_json($2, '["VARCHAR"]')))`,
    "  )",
    '  GROUP BY "link"',
    `) AS last ${joinDimension("link", "last")} LEFT ${joinDimension("url", "last")}`,
    'GROUP BY "links"."linkId"',
  ].join("\n");
  return { sql, parameters: [workspaceId, JSON.stringify(linkIds)] };
}

/** A row of the answer. */
export function lastClick(row: Row): LastClick {
  const text = (name: string) => String(row[name]);
  return {
    time: Number(row["time"]),
    ...{ linkId: text("linkId"), domainId: text("domainId"), domain: text("domain") },
    ...{ key: text("key"), url: text("url") },
  };
}
