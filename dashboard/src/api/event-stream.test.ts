import { expect, test } from "bun:test";
import { openEventReader } from "./event-stream.ts";

const stream = 'retry: 1000\n\n: still here\nid: a1\n\nid: a2\ndata: {"n":\ndata: 1}\n\nid: a3\ndata: cut off';
const events = [
  { id: "a1", data: undefined },
  { id: "a2", data: '{"n":\n1}' },
];

test("complete events are parsed with their ids; comments have only an id, and incomplete events are ignored", () => {
  const read = openEventReader();

  expect(read(stream)).toEqual(events);
});

test("a stream split at any point gives the same events", () => {
  for (let at = 0; at <= stream.length; at++) {
    const read = openEventReader();

    expect([...read(stream.slice(0, at)), ...read(stream.slice(at))]).toEqual(events);
  }
});
