import { describe, expect, test } from "bun:test";
import { type Block, Blocks, isBlockedKey, linkBlockName } from "./blocks.ts";

const named = { name: null };

describe("a blocked host", () => {
  const hosts = ["evil.example", "a.b.c.bad.example"];
  const blocks = new Blocks(
    "r",
    hosts.map((target): Block => ({ kind: "host", target, ...named })),
  );
  const longest = `${"a.".repeat(120)}evil.example`;
  const cases: [string, boolean][] = [
    ["https://evil.example/a", true],
    ["https://Login.EVIL.example./", true],
    ["https://evil.example:8443/", true],
    ["https://notevil.example/", false],
    ["https://example/", false],
    ["https://a.b.c.bad.example/", true],
    ["https://x.a.b.c.bad.example/", true],
    ["https://b.c.bad.example/", false],
    [`https://${longest}/`, true],
    [`https://${"a.".repeat(121)}evil.example/`, false],
    ["myapp://open", false],
    ["no url", false],
  ];
  test.each(cases)("is found in %p: %p", (url, isBlocked) => {
    expect(blocks.hasHostOf(url)).toBe(isBlocked);
  });

  test("is not searched when none is blocked", () => {
    expect(new Blocks("r", [{ kind: "link", target: "link_1", name: "go.example.com/a" }]).hasHosts).toBe(false);
  });
});

test("a blocked link blocks its key on its domain, in any case, and a blocked domain every key", () => {
  const link: Block = {
    kind: "link",
    target: "link_1",
    name: linkBlockName({ slug: "go.example.com", key: "Win/Now" }),
  };
  const some = new Blocks("r", [link]);
  const all = new Blocks("r", [link, { kind: "domain", target: "dom_1", name: "go.example.com" }]);

  expect(isBlockedKey(some.blockedKeysOn("go.example.com"), "win/NOW")).toBe(true);
  expect(isBlockedKey(some.blockedKeysOn("go.example.com"), "win")).toBe(false);
  expect(isBlockedKey(some.blockedKeysOn("to.example.com"), "win/now")).toBe(false);
  expect(isBlockedKey(all.blockedKeysOn("go.example.com"), "win")).toBe(true);
  expect([some.hasDomain("go.example.com"), all.hasDomain("go.example.com")]).toEqual([false, true]);
});

test("links are blocked by their id, their workspace and their user", () => {
  const link = { id: "link_1", workspaceId: 7, userId: "user_1" };
  const blocksLink = (...blocked: Omit<Block, "name">[]) =>
    new Blocks(
      "r",
      blocked.map((block) => ({ ...block, ...named })),
    ).blocksLink(link);

  expect(blocksLink({ kind: "link", target: "link_1" })).toBe(true);
  expect(blocksLink({ kind: "workspace", target: "7" })).toBe(true);
  expect(blocksLink({ kind: "user", target: "user_1" })).toBe(true);
  expect(blocksLink({ kind: "link", target: "link_2" }, { kind: "host", target: "link_1" })).toBe(false);
});
