import type { Engine } from "../../src/database/engine.ts";
import type { Resolver } from "../../src/domains/dns.ts";
import type { TxtLookup } from "../../src/domains/domain.ts";
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

/** A resolver of TXT records that finds no name servers. */
export function txtResolver(lookupTxt: (name: string) => Promise<TxtLookup>): Resolver {
  const nothing = async () => ({ kind: "absent", reason: "empty", server: "192.0.2.53" }) as const;
  return { lookupTxt, lookup: nothing, lookupAt: nothing };
}
