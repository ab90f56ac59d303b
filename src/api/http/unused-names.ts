import { z } from "@hono/zod-openapi";
import { editDistance } from "../../base/nearest-name.ts";
import { isIgnored } from "./ignored-names.ts";

/**
 * Finds names in a body or a query that the operation does not use: unknown ones, so that a misspelled field is refused
 * rather than dropped, and ignored ones. The work is bounded by the elements of a list that are looked at, the names
 * that the caller takes, and their length.
 */

/** Elements of a list that are looked at; every list of the API has fewer. */
const elementsMax = 1_000;
/** Characters of a name for which a similar one is sought. */
const nameCharactersMax = 64;
/** Edits between a name and the one that is suggested for it; one for short names. */
const editsMax = 2;
const shortNameCharactersMax = 4;
/** Characters from which a name that is a part of another one is taken for it. */
const partCharactersMin = 5;

/** A name that the operation does not use, with those that the schema has at the same place. */
export type UnusedName = { kind: "unknown" | "ignored"; path: string[]; known: string[] };

/** The unused names of a value, in its order; each is found when the caller asks for it. */
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

/** The fields of each schema for objects that was asked for: reading them takes longer than all the rest. */
const fieldsBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, z.core.$ZodType>>();

function fieldsOf(schema: z.ZodObject): ReadonlyMap<string, z.core.$ZodType> {
  const known = fieldsBySchema.get(schema);
  if (known !== undefined) return known;
  const fields = new Map<string, z.core.$ZodType>(Object.entries(schema.shape));
  fieldsBySchema.set(schema, fields);
  return fields;
}

/** The names that an object of the schema has; of a list or a choice, those of its elements or alternatives. */
export function namesOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  if (inner instanceof z.ZodArray) return namesOf(inner.element);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(namesOf) : [];
}

/** The schema of what is sent, without what makes it optional or transforms it. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrapped(schema.def.innerType);
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  // A transform is before the schema (preprocess) or behind it.
  return unwrapped(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}

/** The name of the list that is most like the given one; undefined when none is. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  if (name.length > nameCharactersMax) return undefined;
  const sought = normalized(name);
  const limit = sought.length <= shortNameCharactersMax ? 1 : editsMax;
  const candidates = known
    .map((candidate) => ({ candidate, edits: editDistance(sought, normalized(candidate)) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits);
  if (candidates[0] !== undefined) return candidates[0].candidate;
  if (sought.length < partCharactersMin) return undefined;
  return known.find((candidate) => normalized(candidate).includes(sought));
}

/** In lower case and without separators, so that `max_clicks` is `maxClicks`. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}
