import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterFirstChunk, readGrowingFile, type StreamEnd } from "./growing-file.ts";

let folder = "";
let path = "";
let ends: StreamEnd[] = [];
let writer: PromiseWithResolvers<void>;
let ending: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-growing-"));
  path = join(folder, "file");
  writeFileSync(path, "");
  ends = [];
  writer = Promise.withResolvers();
  ending = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () =>
  readGrowingFile(path, { ended: writer.promise, signal: ending.signal, onEnd: (end) => ends.push(end) });
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test("everything that is appended comes through, in order, up to the writer's end", async () => {
  const reader = (await open()).getReader();
  const parts: string[] = [];

  for (let part = 0; part < 5; part++) {
    appendFileSync(path, `part ${part}\n`);
    parts.push(text((await reader.read()).value));
  }
  appendFileSync(path, "last");
  writer.resolve();
  parts.push(text((await reader.read()).value));
  const { done } = await reader.read();

  expect(parts.join("")).toBe("part 0\npart 1\npart 2\npart 3\npart 4\nlast");
  expect([done, ends]).toEqual([true, [{ kind: "whole" }]]);
});

test("a large file is read in pieces, and only as they are asked for", async () => {
  writeFileSync(path, Buffer.alloc(1_000_000, "x"));
  writer.resolve();

  const reader = (await open()).getReader();
  const first = await reader.read();
  rmSync(path);
  let bytes = first.value?.length ?? 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;

  expect([first.value?.length, bytes]).toEqual([256 * 1024, 1_000_000]);
});

test("a writer's failure ends the stream with it, whatever is left to read", async () => {
  appendFileSync(path, "a part");
  const reader = (await open()).getReader();
  const failure = new Error("The disk is full.");

  const first = await reader.read();
  appendFileSync(path, "another part");
  writer.reject(failure);
  await Promise.allSettled([writer.promise]);

  expect(text(first.value)).toBe("a part");
  await expect(reader.read()).rejects.toThrow("The disk is full.");
  expect(ends).toEqual([{ kind: "failed", error: failure }]);
});

test("a signal ends a stream that nobody has read yet", async () => {
  const stream = await open();

  ending.abort(new Error("It is over."));

  await expect(stream.getReader().read()).rejects.toThrow("It is over.");
  expect(ends.map(({ kind }) => kind)).toEqual(["failed"]);
});

test("a reader that leaves is told of once, and the writer's end is of no interest then", async () => {
  const reader = (await open()).getReader();

  await reader.cancel();
  writer.reject(new Error("It was ended."));
  ending.abort(new Error("It is over."));
  await Promise.allSettled([writer.promise]);

  expect(ends).toEqual([{ kind: "left" }]);
});

test("a file that is not there is refused", async () => {
  rmSync(path);

  await expect(open()).rejects.toThrow("ENOENT");
});

test("a stream that has begun brings every byte, and its end", async () => {
  appendFileSync(path, "first");
  const stream = await afterFirstChunk(await open());

  appendFileSync(path, " and last");
  writer.resolve();

  expect(await new Response(stream).text()).toBe("first and last");
  expect(ends).toEqual([{ kind: "whole" }]);
});

test("a failure before the first byte is thrown, not streamed", async () => {
  const begun = afterFirstChunk(await open());

  writer.reject(new Error("The disk is full."));

  await expect(begun).rejects.toThrow("The disk is full.");
});

test("an empty file is a stream without bytes", async () => {
  writer.resolve();

  const stream = await afterFirstChunk(await open());

  expect(await new Response(stream).text()).toBe("");
});

test("a reader that leaves a stream that has begun is told of", async () => {
  appendFileSync(path, "first");
  const stream = await afterFirstChunk(await open());

  await stream.cancel();

  expect(ends).toEqual([{ kind: "left" }]);
});
