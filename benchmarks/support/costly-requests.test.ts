import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "../../src/api/api.ts";
import { fontPath } from "../../src/site/sign-in-style.ts";
import { apiRequests, expectedFailures, siteRequests } from "./costly-requests.ts";
import { operations } from "./operations-blocking.ts";

test("every operation of the API has its most expensive request", () => {
  expect(Object.keys(apiRequests).toSorted()).toEqual(endpoints.map(({ operationId }) => operationId).toSorted());
});

test("every path of the app host has its most expensive request", () => {
  const files = ["site.ts", "sign-in-routes.ts"];
  const source = files.map((file) => readFileSync(join(import.meta.dir, "../../src/site", file), "utf8")).join("");
  const definitions = [...source.matchAll(/router\.(get|post|put|patch|delete)\(\s*"([^"]+)"/g)];
  const routes = definitions.map(([, method = "", path]) => `${method.toUpperCase()} ${path}`);

  expect(Object.keys(siteRequests).toSorted()).toEqual(
    [...routes, `GET ${fontPath}`, "GET /app", "GET /app/*"].toSorted(),
  );
});

test("every request that is expected to fail belongs to an operation", () => {
  const known = operations().map(({ name }) => name);

  expect(Object.keys(expectedFailures).filter((name) => !known.includes(name))).toEqual([]);
});
