import { diskFailureOf } from "./disk-failure.ts";
import { refusingClickHouseOf } from "./refusing-click-house.ts";
import { RepeatLimiter } from "./repeat-limiter.ts";
import { unreachableServerOf } from "./unreachable-server.ts";

/** The level of a log line. */
type LogLevel = "debug" | "info" | "warn" | "error";
/** The fields of a log line. Errors are logged with their causes, and with a stack unless the operator can fix them. */
type LogFields = Record<string, unknown>;
/** One function per level; lines below the minimum level are dropped. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Disables the repeat limit, for a log with few lines that all matter. */
export const unlimited: Pick<RepeatLimiter, "allows"> = { allows: () => true };

/**
 * Opens a structured log: one JSON object per line with time, level, message, the `common` fields and the line's own.
 * Equal warnings and errors are written five times in ten seconds; one more line then counts the suppressed ones.
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

/** Equal for repeated lines: level, message and errors. Other fields, such as a request's id, differ. */
function repeatKey(level: LogLevel, message: string, fields: LogFields): string {
  const errors = Object.values(fields).filter((value) => value instanceof Error);
  return [level, message, ...errors.map((error) => error.message)].join("\n");
}

/** JSON.stringify writes an error as {}, so its name, message, stack and cause are copied. */
function readable(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, readableValue(value, causesMax)]));
}

const causesMax = 5;

function readableValue(value: unknown, causesLeft: number): unknown {
  if (typeof value === "bigint") return Number(value);
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  // A stack says nothing about a full disk or a server that is down.
  const outage = diskFailureOf(value) ?? unreachableServerOf(value) ?? refusingClickHouseOf(value);
  const stack = outage === undefined ? { stack: value.stack } : {};
  const deeper = cause === undefined || causesLeft === 0 ? {} : { cause: readableValue(cause, causesLeft - 1) };
  return { name, message, ...stack, ...deeper };
}
