/**
 * Entry point of a redirect worker. Its arguments are its number and the ports. Imports nothing that only the main
 * process needs.
 */
import { openLog } from "./base/log.ts";
import { keepNewFilesPrivate } from "./base/private-files.ts";
import { readConfig, withActualPort } from "./config.ts";
import { portsOf } from "./http1/ports.ts";
import { connectToSupervisor } from "./workers/supervisor-channel.ts";
import { runWorker } from "./workers/worker.ts";

const [index, portList] = process.argv.slice(2);
if (index === undefined) throw new Error("A worker needs its number and its ports.");
const ports = portsOf(portList);

keepNewFilesPrivate();
const supervisor = connectToSupervisor();
const config = withActualPort(readConfig(), ports.port);
const log = openLog(config.WAYPOST_LOG_LEVEL, undefined, { process: `worker-${index}` });
try {
  await runWorker(config, { index: Number(index), ports }, supervisor, log);
  process.exit();
} catch (error) {
  log.error("A redirect worker could not start or stop.", { error });
  process.exit(1);
}
