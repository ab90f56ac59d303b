import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";

/** Counts a refused sign-in, and returns its error. */
export function counted({ metrics }: Pick<App, "metrics">, error: unknown): unknown {
  if (error instanceof Problem) metrics.signIns.inc({ outcome: outcomeOf(error) });
  return error;
}

function outcomeOf({ code }: Problem): "refused" | "limited" {
  return code === "rate_limit_exceeded" || code === "unavailable" ? "limited" : "refused";
}
