/**
 * Thousands of requests to every operation, generated from the reference: mostly valid, with one or more invalid parts.
 * Every response is a success or a problem, and the server logs no internal error.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problemOf } from "../dashboard/src/api/problem.ts";
import { formatOf } from "../dashboard/src/base/format.ts";
import { de } from "../dashboard/src/texts/de/de.ts";
import { withTranslations } from "../dashboard/src/texts/with-translations.ts";
import { WaypostError } from "../sdk/client.ts";
import { endpoints } from "../src/api/api.ts";
import { openApiDocument } from "../src/api/http/openapi.ts";
import { problemStatus } from "../src/base/problem.ts";
import { engines } from "./support/databases.ts";
import { type DnsServer, startDnsServer } from "./support/dns-server.ts";
import { type ApiDocument, openRequestGenerator } from "./support/generated-requests.ts";
import { ask, expectRefusal, namedEndpoints, openCallContexts, urlOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

/** The same requests on each run; another seed generates others. */
const seed = 20_261_121;
const requestsPerEndpoint = 30;

/** The allowed statuses of a refusal: all statuses of problems, except those of server failures. */
const refusalStatuses = [...new Set(Object.values(problemStatus))].filter((status) => status < 500);

// The generator returns the type of any OpenAPI document; these are the parts that the tests use.
const document = openApiDocument(endpoints, new URL("http://localhost")) as ApiDocument;

const german = await withTranslations(de, formatOf("de"));

for (const engine of engines) {
  describe(engine, () => {
    const seen = { done: 0, refused: 0 };
    const notTranslated = new Set<string>();
    let dns: DnsServer;
    let server: TestService;
    let contextFor: Awaited<ReturnType<typeof openCallContexts>>;

    beforeAll(async () => {
      dns = await startDnsServer();
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_RESOLVERS: dns.address }, engine);
      contextFor = await openCallContexts(server);
    });

    afterAll(async () => {
      await server.remove();
      await dns.close();
    });

    test.each(namedEndpoints)("%s returns a success or a problem for every generated request", async (_, endpoint) => {
      const { tenant, targets } = await contextFor(endpoint);
      const generate = openRequestGenerator(document, seed);
      for (let count = 0; count < requestsPerEndpoint; count++) {
        const { method, path, headers, body } = generate(endpoint, urlOf(endpoint, targets));
        const answer = await ask(server, method, path, {
          headers: { Authorization: `Bearer ${tenant.apiKey}`, ...headers },
          ...(body === undefined ? {} : { body }),
        });

        const isDone = answer.status === endpoint.status || answer.status === 304;
        seen[isDone ? "done" : "refused"]++;
        if (isDone) continue;
        expectRefusal({ seed, count, method, path, headers, body }, answer, refusalStatuses);
        if (isReadInEnglish(answer.text)) notTranslated.add(answer.text);
      }
    });

    test("many generated requests are executed, and many are refused", () => {
      const least = (namedEndpoints.length * requestsPerEndpoint) / 4;
      expect(Math.min(seen.done, seen.refused)).toBeGreaterThan(least);
    });

    test("every refusal has a German text in the dashboard", () => {
      expect([...notTranslated]).toEqual([]);
    });

    test("the server is healthy afterwards and has logged no internal error", async () => {
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(server.output()).not.toContain('"level":"error"');
    });
  });
}

/** True if the dashboard has no German translation of a refusal. */
function isReadInEnglish(text: string): boolean {
  const problem = problemOf(WaypostError.from(new Response(null, { status: 422 }), JSON.parse(text)), german);
  if (problem === undefined || ofNoField.test(problem.message.english ?? "")) return false;
  return [problem.message, ...problem.fieldErrors].some(({ english }) => english !== undefined);
}

/** A problem about a generated name, which the dashboard never sends. */
const ofNoField =
  /^.+: (text must not contain NUL characters or unpaired surrogates\.$|unknown (field|query parameter))/s;
