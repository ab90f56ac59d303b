import { expect, test } from "bun:test";
import { shortLinkOrigin, shortLinkParts, shownUrl } from "./short-link.ts";

const page = { origin: "http://localhost:8080", hostname: "localhost" };

test("a short link is shown by its host and by what stands behind it, in letters one can read", () => {
  expect(shortLinkParts("http://localhost:8080/s%C3%BC%C3%9F")).toEqual({ host: "localhost:8080", key: "/süß" });
  expect(shownUrl("https://www.example.com/")).toBe("example.com");
});

test("a link that is to be made has scheme and port of the page on the service's own domain, https on others", () => {
  expect(["", "localhost", "go.example.com"].map((domain) => shortLinkOrigin(domain, page))).toEqual([
    "http://localhost:8080",
    "http://localhost:8080",
    "https://go.example.com",
  ]);
});

test("a link that is changed keeps scheme and port on its domain, wherever the page was opened", () => {
  const link = { domain: "short.example", shortLink: "http://short.example:3000/spring" };

  expect(shortLinkOrigin("short.example", page, link)).toBe("http://short.example:3000");
  expect(shortLinkOrigin("go.example.com", page, link)).toBe("https://go.example.com");
});
