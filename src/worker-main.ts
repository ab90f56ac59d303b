/**
 * Entry point of a redirect worker; arguments: its number and the port. Imports nothing that only the main process
 * needs.
 */

import { openLog } from "./base/log.ts";
import { keepNewFilesPrivate } from "./base/private-files.ts";
import { readConfig, withActualPort } from "./config.ts";
import { connectToSupervisor } from "./workers/supervisor-channel.ts";
import { runWorker } from "./workers/worker.ts";

const [index, port] = process.argv.slice(2).map(Number);
if (index === undefined || port === undefined) throw new Error("A worker needs its number and its port.");

keepNewFilesPrivate();
const supervisor = connectToSupervisor();
const config = withActualPort(readConfig(), port);
const log = openLog(config.WAYPOST_LOG_LEVEL, undefined, { process: `worker-${index}` });
try {
  await runWorker(config, { index, port }, supervisor, log);
  process.exit();
} catch (error) {
  log.error("A redirect worker could not start or stop.", { error });
  process.exit(1);
}
