import { z } from "@hono/zod-openapi";

/** Schemas of what is accepted and ignored. */
const ignoredSchemas = new WeakSet<z.core.$ZodType>();

/**
 * The schema of a field or query parameter of Dub's API that Waypost accepts and ignores, so that Dub's clients work.
 * The reference shows it, and the response names it in `Waypost-Ignored`.
 */
export function ignored() {
  const schema = z
    .unknown()
    .optional()
    .openapi({
      type: ["string", "number", "boolean", "object", "array", "null"],
      // Generators of clients refuse a list of nothing in particular.
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
