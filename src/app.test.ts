import { expect, test } from "bun:test";
import { closeAll } from "./app.ts";

test("closeAll closes every part although some fail, and throws the first failure", async () => {
  const closed: string[] = [];
  const cleanups = [
    () => closed.push("database"),
    () => Promise.reject(new Error("pipeline")),
    () => closed.push("spool"),
    () => Promise.reject(new Error("counters")),
    () => closed.push("lookup"),
  ];

  const failure = await closeAll(cleanups).catch((error: Error) => error.message);

  expect({ closed, failure }).toEqual({ closed: ["lookup", "spool", "database"], failure: "counters" });
});
