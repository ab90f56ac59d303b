import { expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import { joinMessages, validationMessage } from "./validation-message.ts";

const textOrList = z.union([z.string(), z.array(z.string())]);

/** TABLE of schemas, invalid values, and messages. */
const cases: [z.ZodType, unknown, string][] = [
  [z.string(), undefined, "is missing; it must be text"],
  [z.string(), 1, "must be text"],
  [z.string(), null, "must be text"],
  [z.string(), [], "must be text"],
  [z.string(), ["a", "b"], "must be one text, not a list"],
  [z.string().nullish(), 1, "must be text"],
  [z.number(), "1", "must be a number"],
  [z.int(), 1.5, "must be a whole number"],
  [z.int(), 1e30, "must be at most 9007199254740991"],
  [z.boolean(), "true", "must be true or false"],
  [z.array(z.string()), "a", "must be a list"],
  [z.object({}), [], "must be a JSON object"],
  [z.record(z.string(), z.string()), 1, "must be a JSON object"],
  [z.record(z.string().max(2), z.string()), { abc: "" }, "has an invalid name: it must have at most 2 characters"],
  [z.null(), 1, "must be null"],
  [z.number().min(1).max(5), 0, "must be at least 1"],
  [z.number().min(1).max(5), 6, "must be at most 5"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.number().lt(5), 5, "must be less than 5"],
  [z.number().multipleOf(5), 3, "must be a multiple of 5"],
  [z.string().min(1), "", "must have at least 1 character"],
  [z.string().max(3), "abcd", "must have at most 3 characters"],
  [z.string().length(2), "a", "must have exactly 2 characters"],
  [z.array(z.int()).max(1), [1, 2], "must have at most 1 entry"],
  [z.array(z.int()).min(2), [], "must have at least 2 entries"],
  [z.enum(["a", "b"]), "c", "must be one of a, b"],
  [z.literal(true), false, "must be true"],
  [z.literal([1, 2]), 3, "must be one of 1, 2"],
  [z.url(), "x", "must be a URL such as https://example.com/page"],
  [z.email(), "x", "must be an e-mail address such as you@example.com"],
  [z.iso.datetime(), "x", "must be a date and time such as 2027-01-31T12:00:00Z"],
  [z.string().startsWith("ext_"), "x", "must begin with ext_"],
  [z.string().endsWith(".svg"), "x", "must end with .svg"],
  [z.string().regex(/^[a-z]+$/), "1", "must have the form /^[a-z]+$/"],
  [z.strictObject({}), { a: 1 }, "must not have the field a"],
  [textOrList, 1, "must be text, or a list"],
  [textOrList, [1], "0: must be text"],
  [z.string().refine(() => false), "x", "is not valid; see the reference at /docs"],
  [z.string().refine(() => false, "must be a color"), "x", "must be a color"],
];

/** A test is named after its message, because schemas have no readable text. */
const named = cases.map(([schema, value, message]): [string, unknown, () => z.ZodType] => [
  message,
  value,
  () => schema,
]);

test.each(named)("%s (for %j)", (message, value, schemaOf) => {
  const result = schemaOf().safeParse(value, { error: validationMessage });

  expect(result.error?.issues[0]?.message).toBe(message);
});

/** TABLE of messages, and the sentence of the problem. */
const sentences: [string[], string][] = [
  [["url: is missing; it must be text"], "url: is missing; it must be text."],
  [["url: must not be empty.", "key: must be text"], "url: must not be empty; key: must be text."],
  [["urll: unknown field; did you mean url?"], "urll: unknown field; did you mean url?"],
];

test.each(sentences)("%j is one sentence with one full stop at its end", (messages, sentence) => {
  expect(joinMessages(messages)).toBe(sentence);
});
