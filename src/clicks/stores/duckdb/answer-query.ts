import type { Click } from "../../click.ts";
import type { ClickPage, ClickQuery, ClickSelection } from "../../query.ts";
import { compileQuery, type Known, withLinkKeys } from "./compile-query.ts";
import { hasShortTexts } from "./fingerprints.ts";
import { PageTextCache } from "./page-text-cache.ts";
import { readPage } from "./read-page.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { compileVisitorPartitions, partitionsFor, singlePassMax, type VisitorBounds } from "./visitor-partitions.ts";
import type { Writer } from "./writer.ts";

/** Runs the statements of a query. */
export type QueryRunner = {
  read(query: CompiledQuery): Promise<Row[]>;
  /** Runs `work` on one snapshot and rolls back the tables that it creates. */
  inSnapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  visitorBounds: VisitorBounds;
  fewTextsMax: number;
};

/** The caches beside the tables. */
type Caches = Pick<Writer, "linkKeys" | "hasExpired" | "clickUpperBounds" | "fewTexts" | "pageTexts">;

/**
 * Answers a query from one snapshot. The first attempt relies on cached surrogate keys; if they changed in the
 * meantime, the second one relies on nothing.
 */
export async function answerQuery(caches: Caches, query: ClickQuery, runner: QueryRunner): Promise<Row[]> {
  const { linkKeys, hasExpired } = caches;
  const { version } = linkKeys;
  if (version !== undefined) {
    const keys = await linkKeys.find(query.workspaceId, query.filters, runner.read);
    const rows = await answer(caches, query, runner, { hasExpired, keys });
    if (linkKeys.version === version) return rows;
  }
  return await answer(caches, query, runner, { hasExpired: true });
}

/** Answers a page of clicks, in the same way as answerQuery. */
export async function answerPage(
  { linkKeys, pageTexts }: Pick<Caches, "linkKeys" | "pageTexts">,
  page: ClickPage,
  { read, inSnapshot }: Pick<QueryRunner, "read" | "inSnapshot">,
): Promise<Click[]> {
  const { version } = linkKeys;
  if (version !== undefined) {
    const keys = await linkKeys.find(page.workspaceId, page.filters, read);
    const { clicks, found } = await inSnapshot(() => readPage(withLinkKeys(page, keys), read, pageTexts));
    if (linkKeys.version === version) {
      pageTexts.add(found);
      return clicks;
    }
  }
  return (await inSnapshot(() => readPage(page, read, new PageTextCache()))).clicks;
}

/** One statement, except for the visitors of many clicks (visitor-partitions.ts). */
async function answer(
  { clickUpperBounds, fewTexts }: Caches,
  query: ClickQuery,
  { read, inSnapshot, visitorBounds, fewTextsMax }: QueryRunner,
  { hasExpired, keys }: Known,
): Promise<Row[]> {
  if (query.metric !== "visitors") {
    const { grouping, workspaceId } = query;
    const hasFewTexts =
      grouping.kind === "dimension" &&
      !hasShortTexts(grouping) &&
      (await fewTexts.allow({ workspaceId, keys: grouping, max: fewTextsMax }, read));
    return await read(compileQuery(query, { hasExpired, keys, hasFewTexts }));
  }
  const count = async (selection: ClickSelection) => {
    const counting: ClickQuery = { ...selection, metric: "clicks", grouping: { kind: "count" } };
    const [row] = await read(compileQuery(counting, { hasExpired: false, keys }));
    return Number(row?.["clicks"]);
  };
  const clicks = await clickUpperBounds.find(query, singlePassMax(query, visitorBounds), count);
  const partitionCount = partitionsFor(query, clicks, visitorBounds);
  if (partitionCount === 0) return await read(compileQuery(query, { hasExpired, keys }));
  const { steps, answer } = compileVisitorPartitions(query, { keys, partitionCount });
  return await inSnapshot(async () => {
    for (const step of steps) await read(step);
    return await read(answer);
  });
}
