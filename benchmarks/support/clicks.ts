/** Clicks of the benchmarks, written straight into a DuckDB file by SQL, while no server has it open. */
import { DuckDBInstance } from "@duckdb/node-api";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb.ts";

/** Rows of one statement: the file grows in bounded transactions. */
const rowsPerStatement = 2_000_000;

/** So many clicks, evenly from one instant to another, on so many links; see links.ts for which. */
export type Clicks = { count: number; from: number; to: number; links: number; workspaceId: number; domainId: string };

/** Adds the clicks to the store at `path`, made as the service makes it. */
export async function fillClicks(path: string, clicks: Clicks): Promise<void> {
  await (await openDuckDbStore({ path, threads: 1 })).close();
  await withFile(path, async (run) => {
    const select = `SELECT ${Object.entries(columns)
      .map(([name, value]) => `${value} AS "${name}"`)
      .join(", ")}`;
    const { count, from, to, links, workspaceId, domainId } = clicks;
    for (let first = 0; first < count; first += rowsPerStatement) {
      const end = Math.min(count, first + rowsPerStatement);
      await run(
        `INSERT INTO clicks BY NAME ${select} FROM (SELECT *, ${link} AS link FROM (
          SELECT number, hash(number) AS random, hash(number, 1) AS other, hash(number, 2) AS third,
            ${count} AS total, ${from} AS first, ${to} AS last, ${links} AS links,
            ${workspaceId} AS workspace, '${domainId}' AS domain
          FROM range(${first}, ${end}) numbers(number)))`,
      );
    }
  });
}

/** How many clicks the file at `path` has. */
export async function countClicks(path: string): Promise<number> {
  let count = 0;
  await withFile(path, async (run) => {
    count = Number((await run("SELECT count(*) FROM clicks")).getRows()[0]?.[0]);
  });
  return count;
}

type Run = (sql: string) => ReturnType<Awaited<ReturnType<DuckDBInstance["connect"]>>["runAndReadAll"]>;

async function withFile(path: string, work: (run: Run) => Promise<void>): Promise<void> {
  const instance = await DuckDBInstance.create(path, { memory_limit: "4GB" });
  try {
    const connection = await instance.connect();
    await work((sql) => connection.runAndReadAll(sql));
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

/** Few links have most clicks: the cube of an even number between 0 and 1. */
const link = "floor(pow((random % 1000000) / 1000000, 3) * links)::BIGINT";

/** TABLE of the columns, by number and by hashes of it; see src/clicks/stores/duckdb.ts for their types. */
const columns: Record<string, string> = {
  id: "uuid()",
  time: "first + (number * ((last - first) / total))::BIGINT",
  workspaceId: "workspace",
  linkId: "'link_' || lpad(link::VARCHAR, 26, '0')",
  domainId: "domain",
  domain: "'localhost'",
  key: "format('{:08x}', (link * 2654435761) & 4294967295)",
  url: "'https://example.com/page/' || link || '?from=short'",
  country: oneOf("random", ["US", "US", "US", "DE", "DE", "FR", "GB", "JP", "BR", "IN", "CN", "NL", "ES", "PL", ""]),
  region: "''",
  city: "''",
  continent: oneOf("random", ["NA", "NA", "NA", "EU", "EU", "EU", "EU", "AS", "SA", "AS", "AS", "EU", "EU", "EU", ""]),
  device: oneOf("other", ["Desktop", "Mobile", "Mobile", "Tablet"]),
  browser: oneOf("other", ["Chrome", "Safari", "Chrome", "Edge", "Firefox", "Samsung Internet"]),
  os: oneOf("other", ["Windows", "iOS", "Android", "macOS", "Linux"]),
  referer: oneOf("third", ["", "", "google.com", "t.co", "news.ycombinator.com"]),
  refererUrl: oneOf("third", [
    "",
    "",
    "https://www.google.com/",
    "https://t.co/abc",
    "https://news.ycombinator.com/item",
  ]),
  language: oneOf("random", ["en", "en", "en", "de", "de", "fr", "en", "ja", "pt", "hi", "zh", "nl", "es", "pl", ""]),
  trigger: oneOf("third", ["link", "link", "link", "link", "link", "link", "qr"]),
  bot: oneOf("other", ["", "", "", "", "", "", "", "", "", "search", "preview"]),
  visitor: "random % 5000000 * 3689348814741",
  utm_source: oneOf("third", ["", "", "newsletter", "twitter"]),
  utm_medium: oneOf("third", ["", "", "email", "social"]),
  utm_campaign: oneOf("third", ["", "", "spring", "launch"]),
  utm_term: "''",
  utm_content: "''",
};

function oneOf(random: string, values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(", ")}][1 + (${random} % ${values.length})::BIGINT]`;
}
