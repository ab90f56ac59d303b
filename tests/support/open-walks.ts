import { type DashboardWorld, type Fill, openDashboardWorld, worldStartMsMax } from "./dashboard.ts";
import { openAround } from "./open-around.ts";
import type { Environment } from "./server.ts";

/** How long one walk through the dashboard may take. */
export const walkMsMax = 60_000;

/** The world of all walks of a file, open while they run: a server, and a browser in which its owner is signed in. */
export function openWalks(environment: Environment = {}, fill?: Fill): Omit<DashboardWorld, "close"> {
  const world = openAround(() => openDashboardWorld(environment, fill), worldStartMsMax);
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
    get pageErrors() {
      return world().pageErrors;
    },
    url: (path) => world().url(path),
    newPage: (...asked) => world().newPage(...asked),
  };
}
