import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";

/** The dependencies of what operators do. `log` records it; the command line without a server has none. */
export type OperatorDeps = { db: Db; now: () => number; log?: Pick<Log, "info"> };

/** The person who acts on the whole instance: an administrator, or null for the command line. */
export type Operator = { userId: string } | null;

/** Records in the log what an operator has done to which object. Never contains names and addresses of people. */
export function recordOperation(
  { log }: Pick<OperatorDeps, "log">,
  operator: Operator,
  operation: string,
  object: Record<string, unknown>,
): void {
  log?.info("An operator has changed the service.", { operation, by: operator?.userId ?? "command line", ...object });
}

/** Throws "conflict" for administrators who would lock themselves out. */
export function refuseOwnAccount(operator: Operator, userId: string): void {
  if (operator?.userId !== userId) return;
  throw new Problem("conflict", "You cannot do this to your own account; another administrator can.");
}
