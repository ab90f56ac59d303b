import { expect, test } from "bun:test";
import { displayUrl } from "./url-text.ts";

test("a URL is shown without scheme and with decoded characters", () => {
  expect(displayUrl("https://go.example.com/")).toBe("go.example.com");
  expect(displayUrl("https://go.example.com/a/")).toBe("go.example.com/a/");
  expect(displayUrl("http://go.example.com/%F0%9F%8E%89party")).toBe("go.example.com/🎉party");
  expect(displayUrl("https://go.example.com/%E6%98%A5%E5%AD%A3?q=%C3%BC")).toBe("go.example.com/春季?q=ü");
});

test("reserved, invalid and invisible characters stay encoded", () => {
  expect(displayUrl("go.example.com/a%2Fb%3Fc%23")).toBe("go.example.com/a%2Fb%3Fc%23");
  expect(displayUrl("go.example.com/%FF/%C3%A4%FF")).toBe("go.example.com/%FF/%C3%A4%FF");
  expect(displayUrl("go.example.com/a%20b%E2%80%AEc%00")).toBe("go.example.com/a%20b%E2%80%AEc%00");
});
