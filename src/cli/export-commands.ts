import type { Command } from "commander";
import { botChoices, filterNames } from "../analytics/filters.ts";
import { intervals } from "../analytics/interval.ts";
import { exportFormats } from "../clicks/export.ts";

/** TABLE of what clicks can be chosen by beside the filters: option, parameter of the API, and help. */
const selectors: readonly (readonly [option: string, parameter: string, help: string])[] = [
  ["interval", "interval", `${intervals.join(", ")}; 30d when left out`],
  ["start", "start", "a date, or a moment such as 2026-11-01T12:00Z; in place of --interval"],
  ["end", "end", "a date, which is in, or a moment, which is not"],
  ["timezone", "timezone", "in which days begin, such as Europe/Berlin; UTC when left out"],
  ["bots", "bots", `${botChoices.join(", ")}; exclude when left out`],
  ["link", "linkId", "ids of links"],
  ["domain", "domain", "domains; with --key, one link"],
  ["key", "key", "the link's key on the domain"],
  ["folder", "folderId", "ids of folders"],
  ["tag", "tagId", "ids of tags"],
  ["tenant", "tenantId", "tenantIds of links"],
];

/** Adds `export clicks` to the program. */
export function addExportCommands(program: Command, wholeNumber: (text: string) => number): void {
  const clicks = program
    .command("export")
    .description("Write what this instance holds into a file.")
    .command("clicks")
    .description(
      "Clicks as CSV, JSON Lines or Parquet. Several values go with commas; a leading hyphen leaves them out.",
    )
    .requiredOption("--out <file>", "the file to write; it appears when it is whole")
    .option("--force", "replace the file when it is there")
    .option("--format <format>", `${exportFormats.join(", ")}; when left out, what the file's name ends in, or csv`)
    .option("--workspace <id>", "the workspace; needed where there are several", wholeNumber);
  for (const [option, , help] of selectors) clicks.option(`--${option} <value>`, help);
  for (const name of filterNames) clicks.option(`--${optionOf(name)} <values>`, `as the filter ${name} of the API`);
  clicks.action(async ({ out, force, format, workspace, ...rest }: Record<string, unknown>) => {
    const { exportClicks } = await import("./export-clicks.ts");
    await exportClicks({
      out: String(out),
      ...(force === true ? { force } : {}),
      ...(typeof format === "string" ? { format } : {}),
      ...(typeof workspace === "number" ? { workspace } : {}),
      query: queryOf(rest),
    });
  });
}

function optionOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
}

/** The parameters of the API that options, as commander names them, stand for. */
function queryOf(options: Record<string, unknown>): Record<string, string> {
  const parameters = [
    ...selectors.map(([option, parameter]) => ({ option, parameter })),
    ...filterNames.map((name) => ({ option: optionOf(name), parameter: name })),
  ];
  return Object.fromEntries(
    parameters.flatMap(({ option, parameter }) => {
      const value = options[option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
      return typeof value === "string" ? [[parameter, value]] : [];
    }),
  );
}
