import { z } from "@hono/zod-openapi";

/** The schemas of accepted and ignored names. */
const ignoredSchemas = new WeakSet<z.core.$ZodType>();

/**
 * Returns the schema of a field or query parameter of Dub's API that Waypost accepts and ignores, so that Dub's clients
 * work. The reference shows it, and the response names it in `Waypost-Ignored`.
 */
export function ignored() {
  const schema = z
    .unknown()
    .optional()
    .openapi({
      type: ["string", "number", "boolean", "object", "array", "null"],
      // Client generators refuse a list without an item type.
      items: {},
      deprecated: true,
      "x-ignored": true,
      description: "A name of Dub's API: accepted and ignored. The response's `Waypost-Ignored` header says so.",
    });
  ignoredSchemas.add(schema);
  return schema;
}

/** True for a schema that ignored() made. */
export function isIgnored(schema: z.core.$ZodType): boolean {
  return ignoredSchemas.has(schema);
}
