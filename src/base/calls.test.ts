import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { type Call, CallAnswerer, PendingCalls } from "./calls.ts";
import { hourMs, minuteMs } from "./time.ts";

type Table = {
  start: { argument: undefined; result: undefined };
  close: { argument: undefined; result: undefined };
  add: { argument: number; result: number };
};
const handlers = { start: async () => undefined, close: async () => undefined, add: async (one: number) => one + 1 };

afterEach(() => setSystemTime());

/** An owner and its thread, whose clocks began at different times; `pass` lets time pass for both. */
function connect() {
  let passedMs = 0;
  const pending = new PendingCalls<Table>(() => 500_000 + passedMs);
  const answerer = new CallAnswerer<Table>(handlers, () => 20 + passedMs);
  const sent: Call[] = [];
  const add = (timeMaxMs: number) => {
    pending.make("add", 1, timeMaxMs, (call) => sent.push(call)).catch(() => {});
  };
  return { pending, answerer, sent, add, pass: (ms: number) => (passedMs += ms) };
}

describe.each([hourMs, -hourMs])("after the wall clock was set by %p milliseconds", (jumpMs) => {
  test("a call whose caller still waits is answered, and one whose caller has given up is not", async () => {
    const { pending, answerer, sent, add, pass } = connect();
    await answerer.answer(pending.startCall(undefined));
    add(minuteMs);
    add(2 * minuteMs);

    setSystemTime(Date.now() + jumpMs);
    pass(minuteMs);
    const replies = await Promise.all(sent.map((call) => answerer.answer(call)));

    expect(replies).toMatchObject([
      { kind: "failed", message: "add waited too long" },
      { kind: "done", result: 2 },
    ]);
    pending.failAll("the test has ended");
  });
});

test("the time in which a thread starts does not count as waiting once a call came faster", async () => {
  const { pending, answerer, sent, add, pass } = connect();
  const start = pending.startCall(undefined);
  pass(hourMs);
  await answerer.answer(start);
  add(minuteMs);
  await answerer.answer(sent[0] ?? start);
  add(minuteMs);
  pass(minuteMs);

  expect(await answerer.answer(sent[1] ?? start)).toMatchObject({ kind: "failed" });
  pending.failAll("the test has ended");
});
