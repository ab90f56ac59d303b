/** Characters of a cell at most; a longer one ends with an ellipsis. */
const cellCharactersMax = 60;
const gap = "  ";

/** Formats rows as a table with aligned columns. Control characters, which could steer a terminal, become "?". */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(shownCell))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))));
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)));
      return `${cells.join(gap).trimEnd()}\n`;
    })
    .join("");
}

function shownCell(text: string): string {
  const safe = text.replaceAll(/\p{C}/gu, "?");
  const characters = Array.from(safe);
  return characters.length <= cellCharactersMax ? safe : `${characters.slice(0, cellCharactersMax - 1).join("")}…`;
}
