import type { ClickRow } from "../query.ts";

/** Converts a row of a query's answer, with the columns that the compile-query.ts of every engine names. */
export function clickRow({ value, clicks, visitors, within1, within2 }: Readonly<Record<string, unknown>>): ClickRow {
  const within = [within1, within2].filter((wider) => typeof wider === "string");
  return {
    value: typeof value === "string" ? value : Number(value),
    ...(within.length === 0 ? {} : { within }),
    clicks: Number(clicks),
    ...(visitors === undefined ? {} : { visitors: Number(visitors) }),
  };
}
