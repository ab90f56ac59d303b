/** The page of the API reference loads nothing from other servers, and explains every problem. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { problemStatus } from "../src/base/problem.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

let server: TestService;

beforeAll(async () => {
  server = await startService();
});

afterAll(() => server.remove());

describe("/docs", () => {
  test("the page and its files come from the same server, and the browser may load nothing else", async () => {
    const page = await fetch(`${server.url}/docs`);
    const html = await page.text();
    const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = ""]) => reference);

    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(references.length).toBeGreaterThan(2);
    expect(references.filter((reference) => !/^\/(?!\/)/.test(reference))).toEqual([]);
    expect(html).not.toMatch(/https?:\/\//);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy.match(/https?:|\*/g)).toBeNull();
    expect(policy).toStartWith("default-src 'none'");
    for (const reference of references) {
      const asset = await fetch(server.url + reference);
      const content = await asset.text();

      expect([reference, asset.status, content.length > 0]).toEqual([reference, 200, true]);
      expect([reference, content.match(/@import|url\(["']?(?:https?:)?\/\//g)]).toEqual([reference, null]);
    }
  });

  test("Try it out fills in required parameters only, and the page is dark in dark mode", async () => {
    const script = await (await fetch(`${server.url}/docs/start.js`)).text();
    const document: unknown = await (await fetch(`${server.url}/v1/openapi.json`)).json();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const run = new Function("fetch", "SwaggerUIBundle", "matchMedia", "window", "location", script);
    const classes = new Map<string, boolean>();
    const classList = { toggle: (name: string, isOn: boolean) => classes.set(name, isOn) };

    run(
      (path: string) => fetch(server.url + path),
      ({ spec }: { spec: unknown }) => resolve(spec),
      (query: string) => ({ matches: query === "(prefers-color-scheme: dark)", addEventListener() {} }),
      { document: { documentElement: { classList }, getElementById: () => null } },
      { hash: "" },
    );

    const [shown, whole] = [filledIn(await promise), filledIn(document)];
    expect(shown.optional).toEqual([]);
    expect(shown.required).toEqual(whole.required);
    expect([whole.optional.length > 10, whole.required.length > 10]).toEqual([true, true]);
    expect([...classes]).toEqual([["dark-mode", true]]);
  });

  test.each(["swagger-ui-bundle.js", "swagger-ui.css", "start.js"])("%s is compressed, and sent once", async (name) => {
    const url = `${server.url}/docs/${name}`;
    const plain = await fetch(url, { headers: { "Accept-Encoding": "identity" } });
    const text = await plain.text();

    for (const encoding of ["br", "gzip"]) {
      const asset = await fetch(url, { headers: { "Accept-Encoding": encoding } });
      const etag = asset.headers.get("etag") ?? "";
      const again = await fetch(url, { headers: { "Accept-Encoding": encoding, "If-None-Match": etag } });

      expect([asset.headers.get("content-encoding"), asset.headers.get("vary")]).toEqual([encoding, "Accept-Encoding"]);
      expect((await asset.text()) === text).toBe(true);
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
  });

  test("explains every problem code at its doc_url", async () => {
    const html = await (await fetch(`${server.url}/docs`)).text();

    expect(Object.keys(problemStatus).filter((code) => !html.includes(`id="${code}"`))).toEqual([]);
  });

  test("has no other files", async () => {
    for (const name of ["nothing.js", "package.json", "..%2fpackage.json", "__proto__", "constructor"]) {
      expect([name, (await fetch(`${server.url}/docs/${name}`)).status]).toEqual([name, 404]);
    }
  });
});

const Fillable = z.object({
  name: z.string(),
  required: z.boolean().default(false),
  example: z.unknown().optional(),
  examples: z.unknown().optional(),
  schema: z.object({ example: z.unknown().optional(), examples: z.unknown().optional() }),
});
const FilledDocument = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), parameters: z.array(Fillable).default([]) })),
  ),
});

/** The parameters that "Try it out" fills in. */
function filledIn(document: unknown): { required: string[]; optional: string[] } {
  const operations = Object.values(FilledDocument.parse(document).paths).flatMap((path) => Object.values(path));
  const filled = operations.flatMap(({ operationId, parameters }) =>
    parameters
      .filter(({ schema, ...own }) =>
        [own.example, own.examples, schema.example, schema.examples].some((example) => example !== undefined),
      )
      .map(({ name, required }) => ({ text: `${operationId} ${name}`, required })),
  );
  return {
    required: filled.filter(({ required }) => required).map(({ text }) => text),
    optional: filled.filter(({ required }) => !required).map(({ text }) => text),
  };
}
