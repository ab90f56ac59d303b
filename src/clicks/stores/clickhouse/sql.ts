/** SQL text and its parameters for ClickHouse. Pure. */

/** The types of parameters. */
type ParameterType = "String" | "UInt32" | "UInt64" | "Int64" | "Array(String)" | "Array(Int64)" | "Array(UInt64)";
type ParameterValue = string | number | readonly string[] | readonly number[];

/** A statement with `{p1:String}`-style parameters, and their values by name. */
export type Statement = { sql: string; parameters: Record<string, ParameterValue> };

/** Returns the SQL for a value, always a parameter. */
export type Bind = (type: ParameterType, value: ParameterValue) => string;

/** An empty set of parameters, and the function that adds to it while SQL is put together. */
export function binding(): { parameters: Record<string, ParameterValue>; bind: Bind } {
  const parameters: Record<string, ParameterValue> = {};
  let count = 0;
  const bind: Bind = (type, value) => {
    count++;
    parameters[`p${count}`] = value;
    return `{p${count}:${type}}`;
  };
  return { parameters, bind };
}

/** The first and the last instant of ClickHouse's DateTime64, in milliseconds. */
const firstInstant = Date.UTC(1900, 0, 1);
const lastInstant = Date.UTC(2299, 11, 31);

/** SQL for an instant in milliseconds. Instants that DateTime64 cannot hold become its first or last one. */
export function instant(milliseconds: number, bind: Bind): string {
  const held = Math.min(Math.max(milliseconds, firstInstant), lastInstant);
  return `fromUnixTimestamp64Milli(${bind("Int64", held)}, 'UTC')`;
}

/** SQL for the milliseconds of an instant. */
export function millisecondsOf(column: string): string {
  return `toUnixTimestamp64Milli(${column})`;
}

/** An instant in milliseconds, as ClickHouse reads it in inserted rows. */
export function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -1).replace("T", " ");
}
