import { expect, test } from "bun:test";
import { domainIn, isLocalName, readableDomain } from "./domain-name.ts";

test("a domain is extracted from a pasted URL", () => {
  const pasted = [
    " https://go.example.com/ ",
    "HTTP://go.example.com",
    "go.example.com",
    "https://go.example.com/page?a=1",
  ];

  expect(pasted.map(domainIn)).toEqual(pasted.map(() => "go.example.com"));
});

test("a domain has no www., which it answers too", () => {
  expect(["www.example.com", "https://WWW.example.com/", "www.com"].map(domainIn)).toEqual([
    ...["example.com", "example.com", "www.com"],
  ]);
});

test("international names are decoded", () => {
  expect(readableDomain("xn--krzer-kva.example")).toBe("kürzer.example");
  expect(readableDomain("xn--fiq228c.xn--55qx5d")).toBe("中文.公司");
  expect(readableDomain("xn--bcher-kva.xn--p1ai")).toBe("bücher.рф");
  expect(readableDomain("go.example.com")).toBeUndefined();
  expect(readableDomain("xn--!!!.example")).toBeUndefined();
});

test("names that only work on this machine or network are local", () => {
  expect(["localhost", "a.localhost", "box.local", "127.0.0.1", "::1", "[::1]"].every(isLocalName)).toBe(true);
  expect(["localhost.example.com", "local.example", "links.example.com", "10.example"].some(isLocalName)).toBe(false);
});
