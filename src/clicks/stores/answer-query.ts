import type { Click } from "../click.ts";
import type { ClickPage, ClickQuery, ClickSelection } from "../query.ts";
import { readPage } from "./click-page.ts";
import type { Row } from "./duckdb-rows.ts";
import { type CompiledQuery, compileQuery, type Holdings, withNumbers } from "./duckdb-sql.ts";
import type { Intake } from "./intake.ts";
import { PageTexts } from "./page-texts.ts";
import { atOnceMax, compileVisitorParts, partsFor, type VisitorBounds } from "./visitor-parts.ts";

/** How a question's statements are run. */
export type Asking = {
  read(asked: CompiledQuery): Promise<Row[]>;
  /** Has all that `work` reads be of one moment, and takes back what it makes. */
  inPassing<Result>(work: () => Promise<Result>): Promise<Result>;
  visitorBounds: VisitorBounds;
};

/** What is known of the store beside its tables. */
type Known = Pick<Intake, "linkNumbers" | "hasTotals" | "clicksAtMost" | "pageTexts">;

/**
 * Answers a question of what the store holds at one moment: with what is known of it where that stays true meanwhile,
 * and otherwise taking nothing for granted.
 */
export async function answerQuery(known: Known, query: ClickQuery, asking: Asking): Promise<Row[]> {
  const { linkNumbers, hasTotals } = known;
  const { version } = linkNumbers;
  if (version !== undefined) {
    const numbers = await linkNumbers.find(query.workspaceId, query.filters, asking.read);
    const rows = await answer(known, query, asking, { hasTotals, numbers });
    if (linkNumbers.version === version) return rows;
  }
  return await answer(known, query, asking, { hasTotals: true });
}

/** Answers a page of clicks of one moment, as answerQuery does. */
export async function answerPage(
  { linkNumbers, pageTexts }: Pick<Known, "linkNumbers" | "pageTexts">,
  page: ClickPage,
  { read, inPassing }: Pick<Asking, "read" | "inPassing">,
): Promise<Click[]> {
  const { version } = linkNumbers;
  if (version !== undefined) {
    const numbers = await linkNumbers.find(page.workspaceId, page.filters, read);
    const { clicks, found } = await inPassing(() => readPage(withNumbers(page, numbers), read, pageTexts));
    if (linkNumbers.version === version) {
      pageTexts.remember(found);
      return clicks;
    }
  }
  return (await inPassing(() => readPage(page, read, new PageTexts()))).clicks;
}

/** In one statement, but for the visitors of too many clicks. */
async function answer(
  { clicksAtMost }: Known,
  query: ClickQuery,
  { read, inPassing, visitorBounds }: Asking,
  { hasTotals, numbers }: Holdings,
): Promise<Row[]> {
  const count = async (selection: ClickSelection) => {
    const counting: ClickQuery = { ...selection, metric: "clicks", grouping: { kind: "count" } };
    const [row] = await read(compileQuery(counting, { hasTotals: false, numbers }));
    return Number(row?.["clicks"]);
  };
  const isAboutVisitors = query.metric === "visitors";
  const clicks = isAboutVisitors ? await clicksAtMost.find(query, atOnceMax(query, visitorBounds), count) : 0;
  const partCount = partsFor(query, clicks, visitorBounds);
  if (partCount === 0) return await read(compileQuery(query, { hasTotals, numbers }));
  const { steps, answer } = compileVisitorParts(query, { numbers, partCount });
  return await inPassing(async () => {
    for (const step of steps) await read(step);
    return await read(answer);
  });
}
