import { drained } from "./counted-once.ts";
import { eventually, type TestServer } from "./server.ts";

const stopsMax = 5;

/**
 * Runs `stop`, which has clicks made and stops the server, and returns the server once its stop has moved all clicks.
 *
 * On a busy machine its time for that may be over before. Then, and only where it says so, they stay in the spools: the
 * next start moves them, and is stopped in turn. Fails when no stop had the time.
 */
export async function stopUntilMoved(
  first: TestServer,
  stop: (server: TestServer) => Promise<void>,
  restart = (server: TestServer) => server.restart(),
): Promise<TestServer> {
  let server = first;
  for (let stops = 1; ; stops++) {
    await stop(server);
    const output = await outputAtEnd(server);
    if (!wasCutShort(output)) return server;
    if (stops === stopsMax) throw new Error(`None of ${stopsMax} stops had the time to move the clicks:\n${output}`);
    server = await restart(server);
    await drained(server);
  }
}

const killed = "Killing processes that did not stop in time.";

async function outputAtEnd(server: TestServer): Promise<string> {
  return await eventually(
    async () => server.output(),
    (output) => output.includes('"Stopped."') || output.includes(killed),
  );
}

function wasCutShort(output: string): boolean {
  return output
    .split("\n")
    .some((line) => line.includes('"step":"clicks"') || (line.includes(killed) && line.includes('"main"')));
}
