import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callServer } from "./socket.ts";

/** TABLE of what a server has written when it is killed. */
const written = [
  ["nothing", ""],
  ["a part of the answer", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"],
] as const;

test.each(written)("a command whose server is killed after %s says that it may have taken effect", async (_, bytes) => {
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

    const call = callServer(path, "status", {});

    await expect(call).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("may have taken"),
    });
    expect(calls).toBe(1);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("without a server, or with the socket of a killed one, there is no server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-socket-"));
  const path = join(folder, "admin.sock");
  try {
    const absent = await callServer(path, "status", {});
    const listening = Bun.spawn(
      [process.execPath, "-e", `Bun.listen({ unix: ${JSON.stringify(path)}, socket: { data() {} } }); console.log()`],
      { stdout: "pipe" },
    );
    await listening.stdout.getReader().read();
    listening.kill("SIGKILL");
    await listening.exited;

    const killed = await callServer(path, "status", {});

    expect([absent, killed]).toEqual([{ kind: "noServer" }, { kind: "noServer" }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
