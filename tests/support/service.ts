import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openLog } from "../../src/base/log.ts";
import { readConfig } from "../../src/config.ts";
import type { Engine } from "../../src/database/engine.ts";
import { clientOf, type Environment, openDatabases, serverEnvironment, type TestService } from "./server.ts";

/** The program's code: the bundle of this test run, or the sources in a run without `node bin/test.mjs`. */
const bundle = process.env.TEST_WAYPOST_MAIN;
const serveFile = bundle === undefined ? "../../src/cli/serve.ts" : join(dirname(bundle), "parts/serve.js");

/**
 * Starts a service in the process of the tests, with an empty data folder, and resolves when it answers. It is the same
 * service on a real port; only what `waypost serve` does around it is missing: signals, the lock of the data folder, the
 * permissions of its files, and the banner. Tests of these use startServer, and so do tests with WAYPOST_WORKERS or with
 * another cost of passwords, and tests that block their thread while the service must answer.
 */
export async function startService(environment: Environment = {}, engine: Engine = "sqlite"): Promise<TestService> {
  const databases = await openDatabases(engine);
  const given = { ...databases.environment, ...environment };
  const removeData = async () => {
    rmSync(databases.data, { recursive: true, force: true });
    await databases.release();
  };
  try {
    return await start(databases.data, given, removeData);
  } catch (error) {
    await removeData();
    throw error;
  }
}

async function start(data: string, environment: Environment, removeData: () => Promise<void>): Promise<TestService> {
  const config = readConfig(serverEnvironment(data, environment));
  if (config.WAYPOST_WORKERS > 0 || "TEST_PASSWORD_COST" in environment) {
    throw new Error("Redirect workers and the cost of passwords need startServer.");
  }
  const output = { text: "" };
  const log = openLog(config.WAYPOST_LOG_LEVEL, (line) => {
    output.text += line;
  });
  const { serveAlone }: typeof import("../../src/cli/serve.ts") = await import(serveFile);
  const signal = Promise.withResolvers<string>();
  const ready = Promise.withResolvers<number>();
  const ended = serveAlone(config, log, {
    ...{ signal: signal.promise, onRedirecting() {} },
    onReady: ({ ports }) => ready.resolve(ports.port),
  });
  const failed = ended.then(() => Promise.reject(new Error(`The service ended:\n${output.text}`)));
  const url = `http://${config.WAYPOST_HOST}:${await Promise.race([ready.promise, failed])}`;
  // From here on, remove() reports a failure.
  failed.catch(() => {});
  return {
    ...{ url, data, environment, output: () => output.text },
    ...clientOf(url),
    async remove() {
      signal.resolve("the end of the tests");
      await ended;
      await removeData();
    },
  };
}

/** Starts a service as startService does, and removes it after `use`. */
export async function withService(
  environment: Environment,
  use: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startService(environment);
  try {
    await use(service);
  } finally {
    await service.remove();
  }
}
