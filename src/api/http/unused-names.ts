import { z } from "@hono/zod-openapi";
import { isIgnored } from "./ignored-names.ts";

/**
 * Finds names in a body or a query that the operation does not use: unknown names, so that a misspelled field is
 * refused rather than dropped, and ignored names. The work is bounded by elementsMax and the names that the caller
 * takes.
 */

/** Elements of a list that are checked; every list of the API has fewer. */
const elementsMax = 1_000;

/** A name that the operation does not use, with the names that the schema has at the same place. */
export type UnusedName = { kind: "unknown" | "ignored"; path: string[]; known: string[] };

/** Yields the unused names of a value in its order, each one on demand. */
export function* unusedNames(schema: z.core.$ZodType, value: unknown, path: string[] = []): Generator<UnusedName> {
  if (typeof value !== "object" || value === null) return;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, element] of value.slice(0, elementsMax).entries()) {
      yield* unusedNames(inner.element, element, [...path, String(index)]);
    }
  }
  if (!(inner instanceof z.ZodObject)) return;
  const fields = fieldsOf(inner);
  for (const name of Object.keys(value)) {
    const child: unknown = Reflect.get(value, name);
    const field = fields.get(name);
    const here = [...path, name];
    if (field === undefined) yield { kind: "unknown", path: here, known: [...fields.keys()] };
    else if (isIgnored(field)) yield { kind: "ignored", path: here, known: [] };
    else yield* unusedNames(field, child, here);
  }
}

/** A cache of the fields of object schemas, since reading them takes longer than everything else here. */
const fieldsBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, z.core.$ZodType>>();

function fieldsOf(schema: z.ZodObject): ReadonlyMap<string, z.core.$ZodType> {
  const known = fieldsBySchema.get(schema);
  if (known !== undefined) return known;
  const fields = new Map<string, z.core.$ZodType>(Object.entries(schema.shape));
  fieldsBySchema.set(schema, fields);
  return fields;
}

/** Returns the field names of an object schema; for a list or a union, those of its elements or alternatives. */
export function namesOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  if (inner instanceof z.ZodArray) return namesOf(inner.element);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(namesOf) : [];
}

/** Returns the schema of the sent value, without the wrappers that make it optional or transform it. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrapped(schema.def.innerType);
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  // A transform comes before the schema (preprocess) or after it.
  return unwrapped(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}
