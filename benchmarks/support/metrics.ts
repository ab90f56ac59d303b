import type { BenchmarkServer } from "./servers.ts";

/** Reads a metric of a running Waypost: the sum of its series, or of those whose labels contain a text. */
export async function metric({ port }: BenchmarkServer, name: string, label = ""): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = text
    .split("\n")
    .map((line) => /^(\w+)(\{.*\})? (\S+)$/.exec(line))
    .filter((found) => found?.[1] === name && (found[2] ?? "").includes(label));
  if (series.length === 0) throw new Error(`There is no metric ${name} ${label}.`);
  return series.reduce((sum, found) => sum + Number(found?.[3]), 0);
}
