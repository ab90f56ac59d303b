/**
 * What the bridge does to a request, once:
 *
 * - "refuse": closes the connection without executing the statement.
 * - "deny": answers that the account may not run the statement, without executing it.
 * - "dropAnswer": executes the statement, and closes the connection instead of answering.
 * - "dieAfter": executes the statement, and kills itself.
 * - "executeTwice": executes the statement twice, as when a proxy sends a request again.
 * - "executeAfterNext": executes the statement when the next one has been executed, as when it takes long.
 */
type FaultKind = "refuse" | "deny" | "dropAnswer" | "dieAfter" | "executeTwice" | "executeAfterNext";

/** A fault for the next statement that begins with `statement`. */
export type Fault = { kind: FaultKind; statement: string };

/** Takes the first armed fault of a statement. */
export function faultOf(armed: Fault[], sql: string): FaultKind | undefined {
  const index = armed.findIndex(({ statement }) => sql.trimStart().startsWith(statement));
  return index === -1 ? undefined : armed.splice(index, 1)[0]?.kind;
}
