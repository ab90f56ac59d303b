import { expect, test } from "bun:test";
import { z } from "zod";
import { ignored } from "./ignored-names.ts";
import { namesOf, unusedNames } from "./unused-names.ts";

const schema = z.array(
  z.object({
    url: z.string().optional(),
    webhookIds: ignored(),
    rules: z.array(z.object({ when: z.object({ country: z.string() }).optional() })).nullish(),
    geo: z.record(z.string(), z.string()).optional(),
  }),
);

test("unknown and ignored names are found at every depth, with their paths", () => {
  const value = [{ url: "a", webhookIds: [] }, { rules: [{ when: { contry: "DE" } }], geo: { any: "name" } }, 1, null];

  const found = [...unusedNames(schema, value)].map(({ kind, path }) => `${kind} ${path.join(".")}`);

  expect(found).toEqual(["ignored 0.webhookIds", "unknown 1.rules.0.when.contry"]);
});

test("only as many names are read as the caller takes", () => {
  let reads = 0;
  const names = Array.from({ length: 1_000 }, (_, index) => [`misspelled${index}`, index]);
  const value = new Proxy(Object.fromEntries(names), {
    get: (target, name) => {
      reads++;
      return Reflect.get(target, name);
    },
  });

  const found = [...unusedNames(z.object({ url: z.string() }), value).take(5)];

  expect([found.length, reads]).toEqual([5, 5]);
});

test("names of Object.prototype are unknown", () => {
  const value = JSON.parse('[{"__proto__":1,"constructor":2,"toString":3}]');

  expect([...unusedNames(schema, value)].map(({ path }) => path[1])).toEqual(["__proto__", "constructor", "toString"]);
});

test("the names of a list and of alternatives are those of their objects", () => {
  expect(namesOf(schema)).toEqual(["url", "webhookIds", "rules", "geo"]);
  expect(namesOf(z.union([z.object({ a: z.string() }), z.array(z.object({ b: z.string() }))]))).toEqual(["a", "b"]);
  expect(namesOf(z.string())).toEqual([]);
});
