import { expect, test } from "bun:test";
import { curlOf } from "./curl.ts";

const origin = "https://links.example.com";

test("a call without a body is one that reads", () => {
  expect(curlOf({ origin, key: "wp_a", path: "/links" })).toBe(
    "curl 'https://links.example.com/v1/links' \\\n  -H 'Authorization: Bearer wp_a'",
  );
});

test("a shell takes a body as it is, quotes included", () => {
  const command = curlOf({ origin, key: "wp_a", path: "/links", body: { title: "Ann's" } });
  const { stdout } = Bun.spawnSync(["sh", "-c", command.replace(/^curl/, "printf '%s\\n'")]);

  expect(stdout.toString().trim().split("\n").at(-1)).toBe('{"title":"Ann\'s"}');
});

test("a call that puts says so, and one that posts is known by its body", () => {
  const call = { origin, key: "wp_a", path: "/links/upsert", body: {} };

  expect(curlOf({ ...call, method: "PUT" })).toStartWith("curl -X PUT 'https://links.example.com/v1/links/upsert'");
  expect(curlOf(call)).toStartWith("curl 'https://links.example.com/v1/links/upsert'");
});
