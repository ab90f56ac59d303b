import { waitUntilDrained } from "./counted-once.ts";
import { eventually, type TestServer } from "./server.ts";

const stopsMax = 5;

/**
 * Runs `stop`, which makes clicks and stops the server, until a stop has moved all clicks from the spools to the store.
 * Returns the stopped server.
 *
 * On a busy machine, the server's time to stop may end first. The server then logs it, and clicks stay in the spools:
 * this starts the server, waits until it has moved them, and runs `stop` again. Fails if no stop had enough time.
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
    if (stops === stopsMax) throw new Error(`None of ${stopsMax} stops had enough time to move the clicks:\n${output}`);
    server = await restart(server);
    await waitUntilDrained(server);
  }
}

const unflushedMessage = "Some clicks stay in the spool until the next start.";
const killedMessage = "Killing processes that did not stop in time.";

async function outputAtEnd(server: TestServer): Promise<string> {
  return await eventually(
    async () => server.output(),
    (output) => output.includes('"Stopped."') || output.includes(killedMessage),
  );
}

function wasCutShort(output: string): boolean {
  return output
    .split("\n")
    .some(
      (line) =>
        line.includes('"step":"clicks"') ||
        line.includes(unflushedMessage) ||
        (line.includes(killedMessage) && line.includes('"main"')),
    );
}
