import type { Engine } from "../../src/database/engine.ts";
import { type LinkWorld, openLinkWorld } from "./links.ts";
import { openAround } from "./open-around.ts";

/** The world shared by all tests of a `describe`; its parts are available once the first test runs. */
export function openLinks(engine: Engine): Omit<LinkWorld, "close"> {
  const world = openAround(() => openLinkWorld(engine));
  return {
    get deps() {
      return world().deps;
    },
    get database() {
      return world().database;
    },
    get location() {
      return world().location;
    },
    get instance() {
      return world().instance;
    },
    get owner() {
      return world().owner;
    },
    advance: (ms) => world().advance(ms),
    newWorkspace: (options) => world().newWorkspace(options),
    eventsOf: (objectId) => world().eventsOf(objectId),
  };
}
