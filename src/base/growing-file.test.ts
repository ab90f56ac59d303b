import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterFirstChunk, readGrowingFile } from "./growing-file.ts";

let folder = "";
let path = "";
let ends = 0;
let writer: PromiseWithResolvers<void>;
let ending: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-growing-"));
  path = join(folder, "file");
  writeFileSync(path, "");
  ends = 0;
  writer = Promise.withResolvers();
  ending = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => readGrowingFile(path, { ended: writer.promise, signal: ending.signal, onEnd: () => ends++ });
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test("streams all appended bytes in order until the writer ends", async () => {
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
  expect([done, ends]).toEqual([true, 1]);
});

test("reads a large file in chunks, on demand", async () => {
  writeFileSync(path, Buffer.alloc(1_000_000, "x"));
  writer.resolve();

  const reader = (await open()).getReader();
  const first = await reader.read();
  rmSync(path);
  let bytes = first.value?.length ?? 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;

  expect([first.value?.length, bytes]).toEqual([128 * 1024, 1_000_000]);
});

test("a failure of the writer ends the stream, even before all bytes are read", async () => {
  appendFileSync(path, "a part");
  const reader = (await open()).getReader();
  const failure = new Error("The disk is full.");

  const first = await reader.read();
  appendFileSync(path, "another part");
  writer.reject(failure);
  await Promise.allSettled([writer.promise]);

  expect(text(first.value)).toBe("a part");
  await expect(reader.read()).rejects.toThrow("The disk is full.");
  expect(ends).toBe(1);
});

test("the signal ends a stream that no consumer has read yet", async () => {
  const stream = await open();

  ending.abort(new Error("It is over."));

  await expect(stream.getReader().read()).rejects.toThrow("It is over.");
  expect(ends).toBe(1);
});

test("onEnd reports a cancelled stream once, and ignores a later end of the writer", async () => {
  const reader = (await open()).getReader();

  await reader.cancel();
  writer.reject(new Error("It was ended."));
  ending.abort(new Error("It is over."));
  await Promise.allSettled([writer.promise]);

  expect(ends).toBe(1);
});

test("throws for a missing file", async () => {
  rmSync(path);

  await expect(open()).rejects.toThrow("ENOENT");
});

test("afterFirstChunk returns a stream with all bytes and its end", async () => {
  appendFileSync(path, "first");
  const stream = await afterFirstChunk(await open());

  appendFileSync(path, " and last");
  writer.resolve();

  expect(await new Response(stream).text()).toBe("first and last");
  expect(ends).toBe(1);
});

test("afterFirstChunk throws a failure before the first byte", async () => {
  const begun = afterFirstChunk(await open());

  writer.reject(new Error("The disk is full."));

  await expect(begun).rejects.toThrow("The disk is full.");
});

test("an empty file is an empty stream", async () => {
  writer.resolve();

  const stream = await afterFirstChunk(await open());

  expect(await new Response(stream).text()).toBe("");
});

test("onEnd reports a stream that is cancelled after its first chunk", async () => {
  appendFileSync(path, "first");
  const stream = await afterFirstChunk(await open());

  await stream.cancel();

  expect(ends).toBe(1);
});
