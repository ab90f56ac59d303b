import { z } from "@hono/zod-openapi";

/** The schemas of accepted and ignored names. */
const ignoredSchemas = new WeakSet<z.core.$ZodType>();

/**
 * Returns the schema of a field or query parameter of Dub's API that Waypost accepts and ignores, so that Dub's clients
 * work. The reference shows it with an optional note, and the response names it in `Waypost-Ignored`.
 */
export function ignored(note = "") {
  const schema = z
    .unknown()
    .optional()
    .openapi({
      type: ["string", "number", "boolean", "object", "array", "null"],
      // Client generators refuse a list without an item type.
      items: {},
      deprecated: true,
      "x-ignored": true,
      description:
        `A name of Dub's API: accepted and ignored. The response's \`Waypost-Ignored\` header says so. ${note}`.trimEnd(),
    });
  ignoredSchemas.add(schema);
  return schema;
}

/** True if the schema is an object with a name that ignored() made. */
export function hasIgnored(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodObject && Object.values(schema.shape).some(isIgnored);
}

/** True for a schema that ignored() made. */
export function isIgnored(schema: z.core.$ZodType): boolean {
  return ignoredSchemas.has(schema);
}
