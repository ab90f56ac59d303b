import type { Command } from "commander";
import { botChoices, filterNames } from "../analytics/filters.ts";
import { intervals } from "../analytics/interval.ts";
import { exportFormats } from "../clicks/export.ts";

/** TABLE of the selection options besides the filters: option, parameter of the API, and help. */
const selectors: readonly (readonly [option: string, parameter: string, help: string])[] = [
  ["interval", "interval", `${intervals.join(", ")} (default: 30d)`],
  ["start", "start", "a date, or an instant such as 2026-11-01T12:00Z, instead of --interval"],
  ["end", "end", "a date (inclusive), or an instant (exclusive)"],
  ["timezone", "timezone", "the time zone of dates, such as Europe/Berlin (default: UTC)"],
  ["bots", "bots", `${botChoices.join(", ")} (default: exclude)`],
  ["link", "linkId", "ids of links"],
  ["domain", "domain", "domains, or with --key the domain of one link"],
  ["key", "key", "the link's key on the domain"],
  ["folder", "folderId", "ids of folders"],
  ["tag", "tagId", "ids of tags"],
  ["tenant", "tenantId", "tenantIds of links"],
];

/** Adds `export clicks` to the program. */
export function addExportCommands(program: Command, wholeNumber: (text: string) => number): void {
  const clicks = program
    .command("export")
    .description("Export data to a file.")
    .command("clicks")
    .description(
      "Export clicks as CSV, JSON Lines or Parquet. Values of filters are separated by commas; a leading hyphen excludes them.",
    )
    .requiredOption("--out <file>", "the output file; it appears once complete")
    .option("--force", "replace an existing file")
    .option("--format <format>", `${exportFormats.join(", ")} (default: the extension of the file; csv without one)`)
    .option("--workspace <id>", "the workspace; required when there are several", wholeNumber);
  for (const [option, , help] of selectors) clicks.option(`--${option} <value>`, help);
  for (const name of filterNames) clicks.option(`--${optionOf(name)} <values>`, `the filter ${name} of the API`);
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

/** Maps commander's options to parameters of the API. */
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
