import type { Engine } from "../../src/database/database.ts";
import { type AccessWorld, openAccessWorld, type RecordedChange } from "./workspaces.ts";

/** A world of workspaces, looked at for its domains. */
export type DomainWorld = AccessWorld & {
  /** The recorded changes of the workspace's domains, oldest first. */
  domainEvents(workspaceId: number): Promise<RecordedChange[]>;
};

/** Opens a world on the given engine, with nobody in it. */
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
