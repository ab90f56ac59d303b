import { expect, test } from "bun:test";
import { readConfig } from "../config.ts";
import { DatabaseAwayError, explainFailure } from "./explain-failure.ts";

const config = readConfig({ WAYPOST_DATABASE_URL: "postgres://waypost@db.example.com/links" });

test.each([
  ["connect ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED"],
  ["connect ENOENT /run/postgresql/.s.PGSQL.5432", "ENOENT"],
  ["terminating connection due to administrator command", "57P01"],
  ["canceling statement due to statement timeout", "57014"],
  ["timeout expired", undefined],
  ["Connection terminated unexpectedly", undefined],
  ["Client has encountered a connection error and is not queryable", undefined],
])("a start is repeated after: %s", (message, code) => {
  expect(explainFailure(Object.assign(new Error(message), { code }), config)).toBeInstanceOf(DatabaseAwayError);
});

test("a refusal of PostgreSQL is explained, and ends the start", () => {
  const refusal = Object.assign(new Error("password authentication failed"), { code: "28P01" });

  const explained = explainFailure(refusal, config);

  expect(explained).not.toBeInstanceOf(DatabaseAwayError);
  expect(String(explained)).toContain("the PostgreSQL at db.example.com refuses links: password authentication failed");
});
