import { startWatched } from "../support/blocked-loop.ts";
import { blockedMsMax, measureOperations, type OperationTimes } from "../support/operations-blocking.ts";
import type { Measurement } from "./measurement.ts";

/** The anonymous attack: 524,000 zeros for the password of a share, eight times. */
const zeros = `[${"0,".repeat(524_000)}0]`;
const attempts = 8;

/** Bodies that are expensive to parse, from clients without and with a key. */
export async function measureBodies(): Promise<Measurement[]> {
  const anonymousMs = await measureAnonymous();
  const operations = await measureOperations((name) => name.includes("/links") || name.includes("/domains"));
  const longest = operations.toSorted((a, b) => longestOf(b) - longestOf(a))[0];
  return [
    measurement("8 bodies of 524,000 zeros without a key", `${anonymousMs.toFixed(1)} ms`, anonymousMs),
    measurement(
      "the most expensive body of any operation on links and domains",
      longest === undefined ? "nothing" : `${longestOf(longest).toFixed(1)} ms (${longest.name})`,
      longest === undefined ? Number.POSITIVE_INFINITY : longestOf(longest),
    ),
  ];
}

function longestOf({ acceptedMs, rejectedMs }: OperationTimes): number {
  return Math.max(acceptedMs.minimum, rejectedMs?.minimum ?? 0);
}

function measurement(attack: string, measured: string, blockedMs: number): Measurement {
  const required = `the event loop is blocked for at most ${blockedMsMax} ms`;
  return { attack, measured, required, holds: blockedMs <= blockedMsMax };
}

async function measureAnonymous(): Promise<number> {
  const server = await startWatched();
  try {
    await server.blockedMs();
    const call = { method: "POST", path: "/v1/shared/x/access", headers: { Authorization: "" }, body: zeros };
    await Promise.all(Array.from({ length: attempts }, () => server.call(call)));
    return await server.blockedMs();
  } finally {
    await server.end();
  }
}
