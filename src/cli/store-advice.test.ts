import { expect, test } from "bun:test";
import { storeAdvice } from "./store-advice.ts";

test("advises to move the file away only when the file itself is damaged", () => {
  const advice = [
    'IO Error: Could not write file "clicks.duckdb.wal": No space left on device',
    "ENOSPC: no space left on device, write",
    'IO Error: Cannot open file "clicks.duckdb": Permission denied',
    'IO Error: Cannot open file "clicks.duckdb": Read-only file system',
    "IO Error: Could not read from file: Input/output error",
    'IO Error: Could not set lock on file "clicks.duckdb": Conflicting lock is held in node (PID 7)',
    'IO Error: The file "clicks.duckdb" exists, but it is not a valid DuckDB database file!',
  ].map((reason) => [reason, storeAdvice(reason)]);

  expect(advice.map(([reason, given]) => [reason, given?.includes("move it away")])).toEqual(
    advice.map(([reason], index) => [reason, index === advice.length - 1]),
  );
  expect(new Set(advice.map(([, given]) => given)).size).toBe(advice.length - 1);
});
