import type { ReportRows } from "../database/copy-tables.ts";

const shownEveryMs = 1_000;

/** Writes lines about the rows of a copy to standard error: about each table, and once a second. */
export function showProgress(): ReportRows {
  let done = 0;
  let shownAt = 0;
  let current = "";
  return (step, table, rows) => {
    done = current === `${step} ${table}` ? done + rows : rows;
    const isNew = current !== `${step} ${table}`;
    current = `${step} ${table}`;
    if (!isNew && performance.now() - shownAt < shownEveryMs) return;
    shownAt = performance.now();
    const verb = step === "copy" ? "Copying" : "Compared";
    say(`${verb} ${table}: ${done.toLocaleString("en")} rows.`);
  };
}

/** Writes a line to standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
