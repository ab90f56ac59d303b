import type { Click } from "../../click.ts";
import type { ClickPage, ClickQuery, ClickSelection } from "../../query.ts";
import { type CompiledQuery, compileQuery, type TableStats, withLinkKeys } from "./compile-query.ts";
import { PageTextCache } from "./page-text-cache.ts";
import { readPage } from "./read-page.ts";
import type { Row } from "./rows.ts";
import { compileVisitorPartitions, partitionsFor, singlePassMax, type VisitorBounds } from "./visitor-partitions.ts";
import type { Writer } from "./writer.ts";

/** How a question's statements are run. */
export type QueryRunner = {
  read(asked: CompiledQuery): Promise<Row[]>;
  /** Has all that `work` reads be of one moment, and takes back what it makes. */
  inSnapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  visitorBounds: VisitorBounds;
};

/** What is known of the store beside its tables. */
type Known = Pick<Writer, "linkKeys" | "hasExpired" | "clickUpperBounds" | "pageTexts">;

/**
 * Answers a question of what the store holds at one moment: with what is known of it where that stays true meanwhile,
 * and otherwise taking nothing for granted.
 */
export async function answerQuery(known: Known, query: ClickQuery, runner: QueryRunner): Promise<Row[]> {
  const { linkKeys, hasExpired } = known;
  const { version } = linkKeys;
  if (version !== undefined) {
    const keys = await linkKeys.find(query.workspaceId, query.filters, runner.read);
    const rows = await answer(known, query, runner, { hasExpired, keys });
    if (linkKeys.version === version) return rows;
  }
  return await answer(known, query, runner, { hasExpired: true });
}

/** Answers a page of clicks of one moment, as answerQuery does. */
export async function answerPage(
  { linkKeys, pageTexts }: Pick<Known, "linkKeys" | "pageTexts">,
  page: ClickPage,
  { read, inSnapshot }: Pick<QueryRunner, "read" | "inSnapshot">,
): Promise<Click[]> {
  const { version } = linkKeys;
  if (version !== undefined) {
    const keys = await linkKeys.find(page.workspaceId, page.filters, read);
    const { clicks, found } = await inSnapshot(() => readPage(withLinkKeys(page, keys), read, pageTexts));
    if (linkKeys.version === version) {
      pageTexts.remember(found);
      return clicks;
    }
  }
  return (await inSnapshot(() => readPage(page, read, new PageTextCache()))).clicks;
}

/** In one statement, but for the visitors of too many clicks. */
async function answer(
  { clickUpperBounds }: Known,
  query: ClickQuery,
  { read, inSnapshot, visitorBounds }: QueryRunner,
  { hasExpired, keys }: TableStats,
): Promise<Row[]> {
  const count = async (selection: ClickSelection) => {
    const counting: ClickQuery = { ...selection, metric: "clicks", grouping: { kind: "count" } };
    const [row] = await read(compileQuery(counting, { hasExpired: false, keys }));
    return Number(row?.["clicks"]);
  };
  const isAboutVisitors = query.metric === "visitors";
  const clicks = isAboutVisitors ? await clickUpperBounds.find(query, singlePassMax(query, visitorBounds), count) : 0;
  const partitionCount = partitionsFor(query, clicks, visitorBounds);
  if (partitionCount === 0) return await read(compileQuery(query, { hasExpired, keys }));
  const { steps, answer } = compileVisitorPartitions(query, { keys, partitionCount });
  return await inSnapshot(async () => {
    for (const step of steps) await read(step);
    return await read(answer);
  });
}
