import { diskFailureOf } from "./disk-failure.ts";
import { RepeatLimiter } from "./repeat-limiter.ts";

/** How much a log line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";
/** What a log line says besides its message; errors are shown with cause, and with stack unless the operator mends them. */
export type LogFields = Record<string, unknown>;
/** Writes a line of a level; lines below the least level are left out. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** For a log with few lines that all matter. */
export const unlimited: Pick<RepeatLimiter, "allows"> = { allows: () => true };

/**
 * Writes structured logs: one JSON object per line with time, level, message and fields, of which `common` are in each.
 * Warnings and errors that say the same are written five times in ten seconds; one more line then counts the others.
 */
export function openLog(
  minLevel: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
  common: LogFields = {},
  repeatLimiter: Pick<RepeatLimiter, "allows"> = new RepeatLimiter(),
): Log {
  const writeLine = (level: LogLevel, message: string, fields: LogFields) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...common, ...fields })}\n`);
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (severity[level] < severity[minLevel]) return;
      const written = readable(fields);
      const logSuppressed = (suppressed: number, seconds: number) => writeLine(level, message, { suppressed, seconds });
      if (severity[level] < severity.warn || repeatLimiter.allows(repeatKey(level, message, fields), logSuppressed)) {
        writeLine(level, message, written);
      }
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What lines that say the same have in common; other fields, such as a request's id, differ in each. */
function repeatKey(level: LogLevel, message: string, fields: LogFields): string {
  const errors = Object.values(fields).filter((value) => value instanceof Error);
  return [level, message, ...errors.map((error) => error.message)].join("\n");
}

/** Errors have no enumerable fields of their own; a log line shows their name, message, stack and cause. */
function readable(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, readableValue(value, causesMax)]));
}

const causesMax = 5;

function readableValue(value: unknown, causesLeft: number): unknown {
  if (typeof value === "bigint") return Number(value);
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  // Where the program was says nothing about a full disk, which the operator mends.
  const stack = diskFailureOf(value) === undefined ? { stack: value.stack } : {};
  const deeper = cause === undefined || causesLeft === 0 ? {} : { cause: readableValue(cause, causesLeft - 1) };
  return { name, message, ...stack, ...deeper };
}
