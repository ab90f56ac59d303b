import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callServer, exportFromServer, useBackupOfServer } from "./socket.ts";

/** Runs a test beside a server that answers each request with these bytes and is killed. */
async function withKilledServer(
  bytes: string,
  use: (path: string, calls: () => number) => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-socket-"));
  const path = join(folder, "admin.sock");
  let calls = 0;
  const server = createServer((connection) => {
    connection.once("data", () => {
      calls++;
      connection.write(bytes, () => connection.destroy());
    });
  });
  try {
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await use(path, () => calls);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** TABLE of what a server has written when it is killed. */
const written = [
  ["nothing", ""],
  ["a part of the answer", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"],
] as const;

test.each(written)("a command whose server is killed after %s says that it may have taken effect", async (_, bytes) => {
  await withKilledServer(bytes, async (path, calls) => {
    const call = callServer(path, "user create", {});

    await expect(call).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("may have taken"),
    });
    expect(calls()).toBe(1);
  });
});

test("a call that only reads continues without a server that is killed before it answers", async () => {
  await withKilledServer("", async (path) => {
    const { signal } = new AbortController();
    const options = { includesSecret: false, onPhase() {}, signal };

    const calls = await Promise.all([
      callServer(path, "status", {}),
      exportFromServer(path, {}, signal),
      useBackupOfServer(path, options, async () => {}),
    ]);

    expect(calls).toEqual([{ kind: "noServer" }, { kind: "noServer" }, { kind: "noServer" }]);
  });
});

test("a backup whose server is killed while it copies says to run the command again", async () => {
  const begun = `HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`;
  await withKilledServer(begun, async (path) => {
    const options = { includesSecret: false, onPhase() {}, signal: new AbortController().signal };

    const backup = useBackupOfServer(path, options, async () => {});

    await expect(backup).rejects.toMatchObject({
      code: "unavailable",
      message: "The running server has stopped. Run the command again.",
    });
  });
});

test("without a server, or with the socket of a killed one, there is no server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-socket-"));
  const path = join(folder, "admin.sock");
  try {
    const absent = await callServer(path, "user list", {});
    const listening = Bun.spawn(
      [process.execPath, "-e", `Bun.listen({ unix: ${JSON.stringify(path)}, socket: { data() {} } }); console.log()`],
      { stdout: "pipe" },
    );
    await listening.stdout.getReader().read();
    listening.kill("SIGKILL");
    await listening.exited;

    const killed = await callServer(path, "user list", {});

    expect([absent, killed]).toEqual([{ kind: "noServer" }, { kind: "noServer" }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
