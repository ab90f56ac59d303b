import type { ClickQuery, ClickSelection } from "../query.ts";
import type { Row } from "./duckdb-rows.ts";
import { type CompiledQuery, compileQuery } from "./duckdb-sql.ts";
import type { Intake } from "./intake.ts";
import type { NumbersByLink } from "./link-numbers.ts";
import { atOnceMax, compileVisitorParts, partsFor, type VisitorBounds } from "./visitor-parts.ts";

/** How a question's statements are run. */
export type Asking = {
  read(asked: CompiledQuery): Promise<Row[]>;
  /** Has all that `work` reads be of one moment, and takes back what it makes. */
  inPassing<Result>(work: () => Promise<Result>): Promise<Result>;
  visitorBounds: VisitorBounds;
};

/** What is known of the store beside its tables. */
type Known = Pick<Intake, "linkNumbers" | "hasTotals" | "clicksAtMost">;

/**
 * Answers a question of what the store holds at one moment: with the numbers of the links it names where they stay the
 * same meanwhile, and otherwise by their ids.
 */
export async function answerQuery(known: Known, query: ClickQuery, asking: Asking): Promise<Row[]> {
  const { linkNumbers } = known;
  const { version } = linkNumbers;
  if (version !== undefined) {
    const numbers = await linkNumbers.find(query.workspaceId, query.filters, asking.read);
    const rows = await answer(known, query, asking, numbers);
    if (linkNumbers.version === version) return rows;
  }
  return await answer(known, query, asking, undefined);
}

/** In one statement, but for the visitors of too many clicks. */
async function answer(
  { hasTotals, clicksAtMost }: Known,
  query: ClickQuery,
  { read, inPassing, visitorBounds }: Asking,
  numbers: NumbersByLink | undefined,
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
