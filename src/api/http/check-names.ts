import { isDeepStrictEqual } from "node:util";
import type { z } from "@hono/zod-openapi";
import { invalid, Problem } from "../../base/problem.ts";
import type { Endpoint } from "./endpoint.ts";
import { namesOf, similarName, type UnusedName, unusedNames } from "./unused-names.ts";
import { joinMessages } from "./validation-message.ts";

/**
 * Checks the names in a call's query and body before they are parsed: ignored ones are removed and noted, unknown ones
 * are refused.
 *
 * A client may send back what it has read: PATCH and PUT accept fields that only the answer has, as long as they have
 * the values that the object has at the moment. Values that grow by themselves, such as clicks, may also be older.
 */

/** Names that one refusal lists. */
const refusalsMax = 5;
/** Characters of a name that a refusal repeats. */
const shownCharactersMax = 64;

/** Fields that the service itself changes, and only upwards. */
const growingFields: readonly string[] = ["clicks", "lastClicked", "updatedAt", "lastUsedAt"];

/** Reads the objects that a call changes, as the API answers them; `field` of the body holds the changes, or all of it. */
export type CurrentObjects = { field?: string; read(): Promise<unknown[]> };

/**
 * Removes ignored names and unchanged read-only fields from the query and the body of a call, and adds the ignored names
 * to `ignored`. `objects` is undefined if the call changes none that a client could have read.
 * Throws "unprocessable_entity" for unknown names, with the most similar valid one.
 */
export async function checkNames(
  endpoint: Endpoint,
  { query, body }: { query: unknown; body: unknown },
  { ignored, objects }: { ignored: Set<string>; objects: CurrentObjects | undefined },
): Promise<void> {
  const refusals: Problem[] = [];
  for (const unknown of unknownIn(endpoint.querySchema, query, ignored, refusalsMax)) {
    refusals.push(unknownNameProblem("query parameter", unknown));
  }
  const readOnly = new Set(objects === undefined ? [] : namesOf(endpoint.responseSchema));
  const place = objects?.field === undefined ? [] : [objects.field];
  let current: unknown[] | undefined;
  for (const unknown of unknownIn(endpoint.bodySchema, body, ignored, readOnly.size + refusalsMax)) {
    if (refusals.length >= refusalsMax) break;
    const name = nameAt(place, unknown.path);
    if (objects === undefined || name === undefined || !readOnly.has(name))
      refusals.push(unknownNameProblem("field", unknown));
    else {
      current ??= await objects.read();
      const sent = fieldOf(valueAt(body, place), name);
      // Several objects have a field in common where each of them has the value.
      const isSame = current.length > 0 && current.every((object) => isUnchanged(name, sent, fieldOf(object, name)));
      if (isSame) removeAt(body, unknown.path);
      else refusals.push(invalid(unknown.path.join("."), "is read-only; leave it out, or send its current value"));
    }
  }
  if (refusals.length === 0) return;
  throw new Problem("unprocessable_entity", joinMessages(refusals.map(({ message }) => message)));
}

/** The first unknown names, `namesMax` at most; ignored ones before them are removed and noted. */
function unknownIn(
  schema: z.ZodType | undefined,
  value: unknown,
  ignored: Set<string>,
  namesMax: number,
): UnusedName[] {
  if (schema === undefined) return [];
  const unknown: UnusedName[] = [];
  for (const unused of unusedNames(schema, value)) {
    if (unused.kind === "ignored") {
      removeAt(value, unused.path);
      ignored.add(unused.path.at(-1) ?? "");
    } else if (unknown.push(unused) >= namesMax) break;
  }
  return unknown;
}

function unknownNameProblem(kind: "field" | "query parameter", { path, known }: UnusedName): Problem {
  const name = path.at(-1) ?? "";
  const similar = similarName(name, known);
  return invalid(
    [...path.slice(0, -1), printableName(name)].join("."),
    similar === undefined ? `unknown ${kind}` : `unknown ${kind}; did you mean ${similar}?`,
  );
}

/** A name that is fit for a message: a long one is cut, and one with other characters than names have is quoted. */
function printableName(name: string): string {
  const cut = name.length > shownCharactersMax ? `${name.slice(0, shownCharactersMax).toWellFormed()}…` : name;
  return /^[\w[\]-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

function isUnchanged(name: string, sent: unknown, current: unknown): boolean {
  if (isDeepStrictEqual(sent, current)) return true;
  if (!growingFields.includes(name)) return false;
  // Nothing was there when the client read the object: no click, for example.
  if (sent === null) return true;
  if (typeof sent === "number" && typeof current === "number") return sent >= 0 && sent <= current;
  return typeof sent === "string" && typeof current === "string" && Date.parse(sent) <= Date.parse(current);
}

/** The name at the end of a path, where it stands directly in the place; undefined elsewhere. */
function nameAt(place: readonly string[], path: readonly string[]): string | undefined {
  return path.length === place.length + 1 && place.every((name, depth) => path[depth] === name)
    ? path.at(-1)
    : undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => fieldOf(inner, name), value);
}

/** The value of a field, as JSON shows it. */
function fieldOf(object: unknown, name: string): unknown {
  if (typeof object !== "object" || object === null || !Object.hasOwn(object, name)) return undefined;
  const value: unknown = Reflect.get(object, name);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function removeAt(value: unknown, path: readonly string[]): void {
  const [name, ...deeper] = path;
  if (name === undefined || typeof value !== "object" || value === null) return;
  if (deeper.length === 0) Reflect.deleteProperty(value, name);
  else removeAt(Reflect.get(value, name), deeper);
}
