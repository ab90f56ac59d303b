import type { z } from "zod";
import { validationMessage } from "../api/http/validation-message.ts";
import type { App } from "../app.ts";
import type { Log } from "../base/log.ts";
import { invalid } from "../base/problem.ts";
import { secondMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";

/** The resources of an operation: those of the running server, or those that the CLI opens without one. */
export type AdminDeps = {
  db: Db;
  now: () => number;
  config: Config;
  /** The log of the running server; absent in the CLI. */
  log?: Log;
  /** All resources of a server; the CLI opens them only for operations that need them. */
  app?: App;
};

/** The timeout of most operations. */
const timeMaxMs = 30 * secondMs;

/** One operation: what it does, its timeout, and whether a call without an answer may be repeated without the server. */
export type Operation = {
  run(deps: AdminDeps, input: unknown): Promise<unknown>;
  timeMaxMs: number;
  isRepeatable: boolean;
};

/** Returns an operation whose input is parsed by a schema. */
export function operation<Input extends z.ZodType>(
  input: Input,
  run: (deps: AdminDeps, input: z.output<Input>) => Promise<unknown>,
): Operation {
  return { run: (deps, value) => run(deps, parse(input, value)), timeMaxMs, isRepeatable: false };
}

/** Marks an operation that changes nothing. */
export function repeatable(reading: Operation): Operation {
  return { ...reading, isRepeatable: true };
}

function parse<Input extends z.ZodType>(schema: Input, value: unknown): z.output<Input> {
  const result = schema.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(issue?.path.join(".") ?? "input", issue?.message ?? "is invalid");
}
