import { type OptionName, optionNames, options, readConfig, readOption } from "../config.ts";

/** Prints every option with its value, source and meaning. Secrets are hidden. */
export function printConfig(asJson: boolean): void {
  readConfig();
  const rows = optionNames.map(describe);
  process.stdout.write(asJson ? `${JSON.stringify(rows)}\n` : `${rows.map(block).join("\n\n")}\n`);
}

function describe(name: OptionName) {
  const { text, source } = readOption(name);
  const option: { help: string; example: string; secret?: true } = options[name];
  const value = text !== undefined && option.secret === true ? "********" : (text ?? null);
  return { name, value, source, help: option.help, example: option.example };
}

function block({ name, value, source, help, example }: ReturnType<typeof describe>): string {
  return `${name} = ${value === null || value === "" ? "(not set)" : value}  [${source}]\n    ${help}\n    Example: ${name}=${example}`;
}
