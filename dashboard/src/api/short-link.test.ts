import { expect, test } from "bun:test";
import { compactUrl, shortLinkOrigin, shortLinkParts } from "./short-link.ts";

const page = { origin: "http://localhost:8080", hostname: "localhost" };

test("a short link is split into its host and its decoded path", () => {
  expect(shortLinkParts("http://localhost:8080/s%C3%BC%C3%9F")).toEqual({ host: "localhost:8080", path: "/süß" });
  expect(compactUrl("https://www.example.com/")).toBe("example.com");
});

test("a new link has the page's scheme and port on the service's own domain, and https on others", () => {
  expect(["", "localhost", "go.example.com"].map((domain) => shortLinkOrigin(domain, page))).toEqual([
    "http://localhost:8080",
    "http://localhost:8080",
    "https://go.example.com",
  ]);
});

test("an existing link keeps its scheme and port on its domain", () => {
  const link = { domain: "short.example", shortLink: "http://short.example:3000/spring" };

  expect(shortLinkOrigin("short.example", page, link)).toBe("http://short.example:3000");
  expect(shortLinkOrigin("go.example.com", page, link)).toBe("https://go.example.com");
});
