import { formatCount } from "./format-count.ts";

/** A link whose counter differs from its stored clicks. Times are ISO 8601, null for never. */
type LinkRow = {
  workspaceId: number;
  linkId: string;
  clicks: number;
  storedClicks: number;
  lastClicked: string | null;
  storedLastClicked: string | null;
  isCorrected: boolean;
};

/** A 15-minute bucket whose count differs from its stored clicks. */
type QuarterRow = {
  workspaceId: number;
  from: string;
  isBot: boolean;
  clicks: number;
  storedClicks: number;
  isCorrected: boolean;
};

/** The result of the comparison. It counts all differences and lists the first of each kind. */
export type Verification = {
  workspaces: number;
  links: number;
  /** Links that were clicked on other nodes during the comparison, and compared only within these clicks. */
  approximate: number;
  quarters: number;
  /** True when the store holds all clicks that were counted. */
  isComplete: boolean;
  differences: number;
  corrected: number;
  /** Links that have counted more clicks than are stored. */
  linksAboveStored: number;
  linkDifferences: { count: number; rows: LinkRow[] };
  quarterDifferences: { count: number; rows: QuarterRow[] };
};

/** How many differences of each kind the text lists. */
const rowsShownMax = 50;

/** Prints the result of a comparison as text, or as one JSON object. */
export function printVerification(
  found: Verification,
  { corrects, asJson }: { corrects: boolean; asJson: boolean },
): void {
  process.stdout.write(asJson ? `${JSON.stringify(found)}\n` : reportText(found, corrects));
}

function reportText(found: Verification, corrects: boolean): string {
  const { linkDifferences, quarterDifferences, isComplete } = found;
  return [
    ...section("Links whose counters differ from the stored clicks", linkDifferences, linkHeader, linkCells),
    ...section("15-minute periods that differ from the stored clicks", quarterDifferences, quarterHeader, quarterCells),
    ...(isComplete ? [] : [incompleteText]),
    ...(found.approximate === 0 ? [] : [approximateText(found.approximate)]),
    ...(found.quarters === 0 ? [noQuartersText] : []),
    summary(found, corrects),
    "",
  ].join("\n");
}

const incompleteText =
  "This click store does not hold all clicks that links have counted: some are on another node, or lost. " +
  "Counters above the stored clicks are kept.";

function approximateText(links: number): string {
  return `${formatCount(links, "link")} had clicks on other nodes during the comparison, and could be compared only within these clicks.`;
}

/** The rollup of a small store is empty: it counts clicks from level 1 on, see clicks/stores/duckdb/star-schema.ts. */
const noQuartersText =
  "No 15-minute periods were compared: with fewer than a few hundred thousand clicks, reports count clicks directly.";

function summary(found: Verification, corrects: boolean): string {
  const { workspaces, links, quarters, differences, corrected, linksAboveStored } = found;
  const added = quarters === 0 ? "" : ` and ${formatCount(quarters, "15-minute period")}`;
  const compared = `Compared ${formatCount(links, "link")}${added} in ${formatCount(workspaces, "workspace")}`;
  if (differences === 0) return `${compared}: no difference.`;
  const what = formatCount(differences, "difference");
  if (!corrects && linksAboveStored > 0) return `${compared}: ${what}. ${missingText}`;
  if (!corrects) return `${compared}: ${what}. --fix corrects them.`;
  if (corrected === differences) return `${compared}: ${what}, corrected.`;
  return `${compared}: ${what}, ${corrected.toLocaleString("en")} corrected. Run the command again.`;
}

const missingText =
  "Some links have counted more clicks than are stored. If the store lost clicks or is from an older backup, restore it: " +
  "--fix would lower these counters. Otherwise --fix corrects the differences.";

const linkHeader = ["workspace", "link", "clicks", "stored clicks", "last clicked", "last stored click"];

function linkCells({ workspaceId, linkId, clicks, storedClicks, lastClicked, storedLastClicked }: LinkRow): string[] {
  return [
    String(workspaceId),
    linkId,
    String(clicks),
    String(storedClicks),
    lastClicked ?? "-",
    storedLastClicked ?? "-",
  ];
}

const quarterHeader = ["workspace", "from", "of", "clicks", "stored clicks"];

function quarterCells({ workspaceId, from, isBot, clicks, storedClicks }: QuarterRow): string[] {
  return [String(workspaceId), from, isBot ? "bots" : "people", String(clicks), String(storedClicks)];
}

function section<Row>(
  title: string,
  { count, rows }: { count: number; rows: readonly Row[] },
  header: readonly string[],
  cells: (row: Row) => string[],
): string[] {
  if (count === 0) return [];
  const lines = [header, ...rows.slice(0, rowsShownMax).map(cells)];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]) =>
    `  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
  const more = count - Math.min(rows.length, rowsShownMax);
  return [`${title}:`, ...lines.map(text), ...(more > 0 ? [`  and ${more.toLocaleString("en")} more`] : []), ""];
}
