import { expect, test } from "bun:test";
import { openLog } from "../../base/log.ts";
import { Problem } from "../../base/problem.ts";
import { openMetrics } from "../../metrics.ts";
import { noOperation, writeResponse } from "./write-response.ts";

test("a call that failed because its client closed the connection is not logged as an error; any other failure is", async () => {
  const lines: string[] = [];
  const app = {
    log: openLog("error", (line) => lines.push(line)),
    metrics: openMetrics({ own: unread, workers: async () => [], store: async () => undefined }),
    accessLog: undefined,
  };
  const client = new AbortController();
  const request = new Request("http://localhost/v1/events/export", { signal: client.signal });
  client.abort();
  const respond = (cause: unknown) =>
    writeResponse(app, request, noOperation, {
      ...{ status: 503, content: { kind: "none" }, headers: {} },
      problem: new Problem("unavailable", "The export could not be written.", { cause }),
    });

  await respond(request.signal.reason);
  const afterClient = lines.length;
  await respond(new Error("The disk is full."));

  expect({ afterClient, after: lines.length }).toEqual({ afterClient: 0, after: 1 });
});

function unread(): never {
  throw new Error("This test reads no metrics.");
}
