import type { LastClick } from "../../query.ts";
import type { LinkCountPage, LinkCounts } from "../../recount.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import type { Row } from "./client.ts";

/** A row of compileLastClicks. */
export function readLastClick({ linkId, time, target, url }: Row): LastClick {
  const [domainId, domain, key] = Array.isArray(target) ? target.map(String) : [];
  if (domainId === undefined || domain === undefined || key === undefined) {
    throw new Error("ClickHouse returned a last click without a domain and a key.");
  }
  return { linkId: String(linkId), time: Number(time), domainId, domain, key, url: String(url) };
}

/** The rows of compileLinkCounts: all links of the page, also those without human clicks. */
export function readLinkCounts(rows: readonly Row[], { cursors }: BatchSnapshot, { limit }: LinkCountPage): LinkCounts {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    cursors,
    links: rows.flatMap((row) => {
      const clicks = Number(row["clicks"]);
      const lastClicked = { from: Number(row["lastFrom"]), to: Number(row["lastTo"]) };
      return clicks === 0 ? [] : [{ linkId: String(row["linkId"]), clicks, lastClicked }];
    }),
    upTo: last === undefined ? undefined : String(last["linkId"]),
  };
}
