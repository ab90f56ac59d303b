import type { Engine } from "../../src/database/engine.ts";
import { type AccessWorld, openAccessWorld, type RecordedChange } from "./workspaces.ts";

/** A world of workspaces, for tests of their domains. */
export type DomainWorld = AccessWorld & {
  /** The events of the workspace's domains, oldest first. */
  domainEvents(workspaceId: number): Promise<RecordedChange[]>;
};

/** Opens an empty world on the given engine. */
export async function openDomainWorld(engine: Engine): Promise<DomainWorld> {
  const world = await openAccessWorld(engine);
  return {
    ...world,
    async domainEvents(workspaceId) {
      const events = await world.eventsOf(workspaceId);
      return events.filter(({ type }) => type.startsWith("domain."));
    },
  };
}
