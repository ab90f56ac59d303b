import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { CheckResult } from "../admin/check-result.ts";
import type { Config } from "../config.ts";
import { PortError } from "../http1/ports.ts";
import { reservePorts } from "../http1/reserve-ports.ts";
import { isFolderInUse } from "./data-folder.ts";
import { listenError } from "./listen-error.ts";

/** Checks that the first start can create the data folder. */
export function checkNewFolder(data: string): CheckResult {
  const check = "data folder";
  const parent = nearestFolder(data);
  try {
    if (!statSync(parent).isDirectory()) throw new Error(`${parent} is no folder.`);
    accessSync(parent, constants.W_OK | constants.X_OK);
    return { check, ok: true, detail: `${data} will be created at the first start` };
  } catch {
    const detail = `${data} cannot be created in ${parent}; create it for the user that runs Waypost, or set WAYPOST_DATA to another folder`;
    return { check, ok: false, detail };
  }
}

/** Checks, while no server answers on the data folder, that a start can listen. Opens the ports for a moment. */
export function checkAbsentServer(config: Config): CheckResult {
  const check = "server";
  const absent = { check, ok: true, detail: "not running on this data folder" };
  const { WAYPOST_PORT: port, WAYPOST_HTTP_PORT: httpPort, WAYPOST_HTTPS_PORT: httpsPort } = config;
  const hostname = config.WAYPOST_HOST;
  try {
    reservePorts({ port, httpPort, httpsPort, hostname });
    return absent;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    // A service manager may give the service the right to a port below 1024, which this command lacks.
    if (error.cause instanceof Error && "code" in error.cause && error.cause.code === "EACCES") return absent;
    if (isFolderInUse(config)) {
      return { ...absent, detail: "running on this data folder; it answers no commands until the database answers" };
    }
    return { check, ok: false, detail: listenError(error, hostname).message };
  }
}

function nearestFolder(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestFolder(parent);
}
