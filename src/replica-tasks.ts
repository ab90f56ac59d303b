/** The tasks about the node's copy of the links of PostgreSQL. */
import type { App } from "./app.ts";
import { secondMs } from "./base/time.ts";
import { takeVisitedLinks } from "./worker-state.ts";

/** Measures how old and how complete the copy of the links is. The log says when it falls behind or becomes partial. */
export async function watchReplica({
  replica,
  partialWatch,
  metrics,
  now,
}: Pick<App, "replica" | "partialWatch" | "metrics" | "now">): Promise<void> {
  if (replica === undefined) return;
  const { currentAt, failure, isPartial, bytes } = await replica.status();
  metrics.replicaAge.set((now() - (currentAt ?? replica.openedAt)) / secondMs);
  metrics.replicaPartial.set(isPartial ? 1 : 0);
  partialWatch.check({ isPartial, bytes });
  if (failure !== undefined) {
    throw new Error("The copy of the links does not follow PostgreSQL.", { cause: new Error(failure) });
  }
}

/** Copies the links that visitors of all processes have missed in a partial copy. */
export async function copyVisitedLinks({
  config,
  replica,
  visitedLinks,
}: Pick<App, "config" | "replica" | "visitedLinks">): Promise<void> {
  if (replica === undefined || !(await replica.status()).isPartial) return;
  const names = [...visitedLinks.take(), ...(await takeVisitedLinks(config))];
  if (names.length > 0) await replica.copyVisited(names);
}
