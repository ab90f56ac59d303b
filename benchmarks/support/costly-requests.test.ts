import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "../../src/api/api.ts";
import { fontPath } from "../../src/site/sign-in-style.ts";
import { apiRequests, refused, siteRequests } from "./costly-requests.ts";
import { operations } from "./operations-blocking.ts";

test("every operation of the API has its most expensive request", () => {
  expect(Object.keys(apiRequests).toSorted()).toEqual(endpoints.map(({ operationId }) => operationId).toSorted());
});

test("every path of the app's host has its most expensive request", () => {
  const source = readFileSync(join(import.meta.dir, "../../src/site/site.ts"), "utf8");
  const named = [...source.matchAll(/router\.(get|post|put|patch|delete)\(\s*"([^"]+)"/g)];
  const routes = named.map(([, method = "", path]) => `${method.toUpperCase()} ${path}`);

  expect(Object.keys(siteRequests).toSorted()).toEqual(
    [...routes, `GET ${fontPath}`, "GET /app", "GET /app/*"].toSorted(),
  );
});

test("a request that cannot succeed is one of the table", () => {
  const known = operations().map(({ name }) => name);

  expect(Object.keys(refused).filter((name) => !known.includes(name))).toEqual([]);
});
