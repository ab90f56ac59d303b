import { expect, test } from "bun:test";
import { readConfig } from "../config.ts";
import { DatabaseAwayError, explainFailure } from "./explain-failure.ts";

const config = readConfig({ WAYPOST_DATABASE_URL: "postgres://waypost@db.example.com/links" });

test.each([
  ["connect ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED"],
  ["connect ENOENT /run/postgresql/.s.PGSQL.5432", "ENOENT"],
  ["terminating connection due to administrator command", "57P01"],
  ["canceling statement due to statement timeout", "57014"],
  ["canceling statement due to lock timeout", "55P03"],
  ["server login has been failing, cached error: connect failed (server_login_retry)", "08P01"],
  ["query_wait_timeout", "08P01"],
  ["timeout expired", undefined],
  ["Connection terminated unexpectedly", undefined],
  ["Client has encountered a connection error and is not queryable", undefined],
])("a start is repeated after: %s", (message, code) => {
  expect(explainFailure(Object.assign(new Error(message), { code }), config)).toBeInstanceOf(DatabaseAwayError);
});

test("an answer of a PostgreSQL that starts is given as the reason", () => {
  const starting = Object.assign(new Error("the database system is starting up"), { code: "57P03" });

  expect(explainFailure(starting, config)).toMatchObject({
    problem: "no PostgreSQL answers at db.example.com (the database system is starting up).",
  });
});

test.each([
  ["password authentication failed", "28P01"],
  ["unsupported startup parameter: statement_timeout", "08P01"],
  ['syntax error at or near "timeout"', "42601"],
])("a refusal of PostgreSQL is explained, and ends the start: %s", (message, code) => {
  const refusal = Object.assign(new Error(message), { code });

  const explained = explainFailure(refusal, config);

  expect(explained).not.toBeInstanceOf(DatabaseAwayError);
  expect(String(explained)).toContain(`the PostgreSQL at db.example.com refuses links: ${message} (${code})`);
});

test.each([
  [
    "The server does not support SSL connections",
    undefined,
    "the PostgreSQL at db.example.com has no TLS. Switch it on",
  ],
  ["self signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT", "is not accepted: self signed certificate"],
  [
    "Hostname/IP does not match",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "is not accepted: Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID). Use a host that",
  ],
  ["unable to get local issuer certificate", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "add &sslrootcert=FILE"],
])("a connection without the wanted TLS is explained: %s", (message, code, explanation) => {
  const explained = explainFailure(Object.assign(new Error(message), { code }), config);

  expect(explained).not.toBeInstanceOf(DatabaseAwayError);
  expect(String(explained)).toContain(explanation);
});

test("a missing file of the database's URL is named", () => {
  const withFile = readConfig({
    WAYPOST_DATABASE_URL: "postgres://waypost@db.example.com/links?sslrootcert=/none.crt",
  });
  const missing = Object.assign(new Error("no such file"), { code: "ENOENT", path: "/none.crt" });

  expect(String(explainFailure(missing, withFile))).toContain(
    "WAYPOST_DATABASE_URL: /none.crt cannot be read (ENOENT).",
  );
});

test.each([
  [
    "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
    undefined,
    "/links",
    "the PostgreSQL at db.example.com asks for a password. Put it into the URL, or set PGPASSWORD.",
  ],
  [
    'database "waypost" does not exist',
    "3D000",
    "",
    'the PostgreSQL at db.example.com refuses a URL without a database: database "waypost" does not exist (3D000). Add the name to the URL, such as /waypost.',
  ],
  [
    "permission denied for schema public",
    "42501",
    "/links",
    "the PostgreSQL at db.example.com refuses links: permission denied for schema public (42501). The role must own the database.",
  ],
])("a mistake in the setup of PostgreSQL is explained: %s", (message, code, path, explanation) => {
  const withUrl = readConfig({ WAYPOST_DATABASE_URL: `postgres://waypost@db.example.com${path}` });

  const explained = explainFailure(Object.assign(new Error(message), { code }), withUrl);

  expect(explained).not.toBeInstanceOf(DatabaseAwayError);
  expect(explained).toMatchObject({ message: `WAYPOST_DATABASE_URL: ${explanation}` });
});
