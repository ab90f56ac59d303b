import { afterAll, beforeAll } from "bun:test";
import type { Engine } from "../../src/database/database.ts";
import { databaseStartMsMax } from "./databases.ts";
import { type LinkWorld, openLinkWorld } from "./links.ts";

/** The world of all tests of a `describe`, open while they run: its parts are there from the first of them on. */
export function openLinks(engine: Engine): Omit<LinkWorld, "close"> {
  let opened: LinkWorld | undefined;
  beforeAll(async () => {
    opened = await openLinkWorld(engine);
  }, databaseStartMsMax);
  afterAll(() => opened?.close());
  const world = () => {
    if (opened === undefined) throw new Error("The world is opened before the first test.");
    return opened;
  };
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
