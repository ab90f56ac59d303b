import type { Engine } from "../../src/database/database.ts";
import { databaseStartMsMax } from "./databases.ts";
import { type LinkWorld, openLinkWorld } from "./links.ts";
import { openAround } from "./open-around.ts";

/** The world of all tests of a `describe`, open while they run: its parts are there from the first of them on. */
export function openLinks(engine: Engine): Omit<LinkWorld, "close"> {
  const world = openAround(() => openLinkWorld(engine), databaseStartMsMax);
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
    newPlace: (options) => world().newPlace(options),
    eventsOf: (objectId) => world().eventsOf(objectId),
  };
}
