import { expect, test } from "bun:test";
import { openEventReader } from "./event-stream.ts";

const stream = 'retry: 1000\n\n: still here\nid: a1\n\nid: a2\ndata: {"n":\ndata: 1}\n\nid: a3\ndata: cut off';
const events = [
  { id: "a1", data: undefined },
  { id: "a2", data: '{"n":\n1}' },
];

test("events are read whole, with their ids; comments carry an id alone, and what was cut off does not count", () => {
  const read = openEventReader();

  expect(read(stream)).toEqual(events);
});

test("a stream that is cut anywhere gives the same events", () => {
  for (let at = 0; at <= stream.length; at++) {
    const read = openEventReader();

    expect([...read(stream.slice(0, at)), ...read(stream.slice(at))]).toEqual(events);
  }
});
