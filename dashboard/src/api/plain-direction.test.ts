import { expect, test } from "bun:test";
import { withPlainDirection } from "./plain-direction.ts";

test("texts of a response lose overrides of the direction, and keep everything else", async () => {
  const texts = { title: "\u202eeltit", name: "a\u202db", arabic: "\u2067عنوان\u2069 \u200f(1)" };
  const response = Response.json(texts, { status: 201, headers: { ETag: '"a"' } });

  const plain = await withPlainDirection(response);

  expect(await plain.json()).toEqual({ ...texts, title: "eltit", name: "ab" });
  expect({ status: plain.status, etag: plain.headers.get("ETag") }).toEqual({ status: 201, etag: '"a"' });
});

test("responses without JSON are passed on", async () => {
  const headers = { "Content-Type": "text/event-stream" };
  const responses = [new Response(null, { status: 204 }), new Response("data: \u202e", { headers })];

  expect(await Promise.all(responses.map(withPlainDirection))).toEqual(responses);
});
