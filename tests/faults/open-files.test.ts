/** A server with a low limit on open files (ulimit -n): it logs the limit and refuses connections beyond its share. */
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { callOf, outcomeOf } from "../support/http1-clients.ts";
import { openRaw } from "../support/raw-connection.ts";
import { eventually, programCommand, startOn } from "../support/server.ts";

const limit = 400;
/** More connections than one network may have under this limit. */
const connections = 300;
const LogLine = z.object({
  level: z.string(),
  message: z.string(),
  limit: z.int().optional(),
  taken: z.int().optional(),
});

function warnings(output: string): z.infer<typeof LogLine>[] {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => LogLine.parse(JSON.parse(line))).filter(({ level }) => level === "warn");
}

test("the server logs a low limit on open files and refused connections, and answers other connections", async () => {
  const command = ["sh", "-c", `ulimit -n ${limit}; exec "$@"`, "sh", ...programCommand("serve")];
  const server = await startOn(mkdtempSync(join(tmpdir(), "waypost-test-")), command);
  const low = "The limit of open files is low, and connections beyond it are refused. Raise the limit (ulimit -n).";
  const refused = "A connection was refused, because too many are open, in total or of its network.";
  expect(warnings(server.output())).toContainEqual(expect.objectContaining({ message: low, limit }));
  expect(server.output()).not.toContain(refused);

  const first = await openRaw(server.url);
  await first.send(callOf("GET", "/links"));
  expect((await first.answers(["GET"])).map(outcomeOf)).toEqual(["200"]);
  const others = await Promise.all(Array.from({ length: connections }, () => openRaw(server.url)));

  const logged = await eventually(
    async () => warnings(server.output()).filter(({ message }) => message === refused),
    (found) => found.length > 0,
  );
  expect(logged[0]?.taken).toBeGreaterThan(limit / 4);
  await first.send(callOf("GET", "/links"));
  expect((await first.answers(["GET"])).map(outcomeOf)).toEqual(["200"]);
  for (const { socket } of [first, ...others]) socket.destroy();
  await server.remove();
});
