import { expect, test } from "bun:test";
import { childrenOf } from "./support/processes.ts";
import { eventually } from "./support/server.ts";
import { openTlsService } from "./support/tls-service.ts";

/**
 * The runtime checks idle connections every four seconds, and closes one after 4 to 8 seconds. With a timeout of less than five, it
 * may close a new one before it has read the request.
 */
const idleTimeoutSeconds = 8;
const pauseMs = 9_000;

test("a report that takes longer than the idle timeout of a connection is answered", async () => {
  const service = await openTlsService({}, { idleTimeoutSeconds });
  const readReport = async () => await service.call("GET", "/analytics?groupBy=count&interval=all");
  await eventually(readReport, (report) => report !== undefined);
  const processes = childrenOf(process.pid);

  for (const pid of processes) process.kill(pid, "SIGSTOP");
  const report = readReport();
  await Bun.sleep(pauseMs);
  for (const pid of processes) process.kill(pid, "SIGCONT");

  expect(processes).not.toBeEmpty();
  expect(await report).toMatchObject({ clicks: 0 });
  await service.close();
});
