import { afterAll, beforeAll } from "bun:test";
import { type DashboardWorld, type Fill, openDashboardWorld, worldStartMsMax } from "./dashboard.ts";
import type { Environment } from "./server.ts";

/** How long one walk through the dashboard may take. */
export const walkMsMax = 60_000;

/** The world of all walks of a file, open while they run: a server, and a browser in which its owner is signed in. */
export function openWalks(environment: Environment = {}, fill?: Fill): Omit<DashboardWorld, "close"> {
  let opened: DashboardWorld | undefined;
  beforeAll(async () => {
    opened = await openDashboardWorld(environment, fill);
  }, worldStartMsMax);
  afterAll(() => opened?.close());
  const world = () => {
    if (opened === undefined) throw new Error("The world is opened before the first walk of the file.");
    return opened;
  };
  return {
    get server() {
      return world().server;
    },
    get browser() {
      return world().browser;
    },
    get page() {
      return world().page;
    },
    get complaints() {
      return world().complaints;
    },
    url: (path) => world().url(path),
    newPage: (...asked) => world().newPage(...asked),
  };
}
