import { expect, test } from "bun:test";
import { curlOf } from "./curl.ts";

const origin = "https://links.example.com";

test("a call without a body is a GET", () => {
  expect(curlOf({ origin, key: "wp_a", path: "/links" })).toBe(
    "curl 'https://links.example.com/v1/links' \\\n  -H 'Authorization: Bearer wp_a'",
  );
});

test("a shell passes the body unchanged, including quotes", () => {
  const command = curlOf({ origin, key: "wp_a", path: "/links", body: { title: "Ann's" } });
  const { stdout } = Bun.spawnSync(["sh", "-c", command.replace(/^curl/, "printf '%s\\n'")]);

  expect(stdout.toString().trim().split("\n").at(-1)).toBe('{"title":"Ann\'s"}');
});

test("a PUT is explicit, and a body implies POST", () => {
  const call = { origin, key: "wp_a", path: "/links/upsert", body: {} };

  expect(curlOf({ ...call, method: "PUT" })).toStartWith("curl -X PUT 'https://links.example.com/v1/links/upsert'");
  expect(curlOf(call)).toStartWith("curl 'https://links.example.com/v1/links/upsert'");
});
