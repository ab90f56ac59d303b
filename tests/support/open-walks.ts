import { type DashboardWorld, type Fill, openDashboardWorld } from "./dashboard.ts";
import { openAround } from "./open-around.ts";
import type { Environment } from "./server.ts";

/** Timeout of one walk through the dashboard. */
export const walkMsMax = 60_000;

/** Opens the world of a file's walks while they run: a server, and a browser with a signed-in owner. */
export function openWalks(environment: Environment = {}, fill?: Fill): Omit<DashboardWorld, "close"> {
  const world = openAround(() => openDashboardWorld(environment, fill));
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
    newPage: (...options) => world().newPage(...options),
  };
}
