import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parseAgent } from "./agent.ts";

const rows = readFileSync(new URL("../../tests/fixtures/agents.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [agent = "", browser = "", os = "", device = ""] = line.split("\t");
    return { agent, browser, os, device };
  });

test("real user agents have the browser, system and device determined by hand", () => {
  expect(rows.length).toBeGreaterThan(150);

  const found = rows.map((row): typeof row => ({ agent: row.agent, ...parseAgent(row.agent) }));

  expect(found).toEqual(rows);
});

test("every name except iOS and macOS begins with a capital", () => {
  const names = rows.flatMap(({ agent }) => Object.values(parseAgent(agent)));

  const uncapitalized = new Set(names.filter((name) => name !== "" && !/^[A-Z]/.test(name)));

  expect([...uncapitalized].sort()).toEqual(["iOS", "macOS"]);
});

test.each(["", " ", "\t\n"])("a blank user agent has no browser, system or device: %j", (agent) => {
  expect(parseAgent(agent)).toEqual({ browser: "", os: "", device: "" });
});

test.each(["NoSuchBrowser/1.0", "Mozilla/5.0 (X) NoSuchBrowser/1.0", "curl/8.7.1", "<script>/1.0", "__proto__/1.0"])(
  "an unknown browser has no name: %s",
  (agent) => {
    expect(parseAgent(agent).browser).toBe("");
  },
);

test("only the first 512 characters count", () => {
  const agent = `Mozilla/5.0 (${" ".repeat(500)}) Firefox/100.0`;

  expect(parseAgent(agent).browser).toBe("");
});

test("repeated calls for a user agent give the same result", () => {
  const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:100.0) Gecko/20100101 Firefox/100.0";

  expect(parseAgent(agent)).toBe(parseAgent(agent));
});
