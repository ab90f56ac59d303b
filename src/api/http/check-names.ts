import { isDeepStrictEqual } from "node:util";
import type { z } from "@hono/zod-openapi";
import { nearestName } from "../../base/nearest-name.ts";
import { invalid, Problem } from "../../base/problem.ts";
import type { Endpoint } from "./endpoint.ts";
import { namesOf, type UnusedName, unusedNames } from "./unused-names.ts";
import { joinMessages } from "./validation-message.ts";

/**
 * Checks the names in a call's query and body before they are parsed: removes and notes ignored names, refuses unknown
 * ones.
 *
 * A client may send an object back as it read it: PATCH and PUT accept read-only fields with their current values.
 * Values that the service increases, such as clicks, may also be older.
 */

/** Names that one problem lists. */
const refusalsMax = 5;
/** Characters of a name that a problem repeats. */
const shownCharactersMax = 64;

/** Fields that only the service changes, and only increases. */
const growingFields: readonly string[] = ["clicks", "lastClicked", "updatedAt", "lastUsedAt"];

/**
 * Reads the objects that a call changes, as the API returns them; the changes are in `field` of the body, or all of it.
 */
export type CurrentObjects = { field?: string; read(): Promise<unknown[]> };

/**
 * Removes ignored names and unchanged read-only fields from the query and the body of a call, and adds the ignored
 * names to `ignored`. `objects` is undefined if the call changes none that a client could have read.
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
  const objectPath = objects?.field === undefined ? [] : [objects.field];
  let current: unknown[] | undefined;
  for (const unknown of unknownIn(endpoint.bodySchema, body, ignored, readOnly.size + refusalsMax)) {
    if (refusals.length >= refusalsMax) break;
    const name = nameAt(objectPath, unknown.path);
    if (objects === undefined || name === undefined || !readOnly.has(name))
      refusals.push(unknownNameProblem("field", unknown));
    else {
      current ??= await objects.read();
      const sent = fieldOf(valueAt(body, objectPath), name);
      // For several objects, each must have the value.
      const isSame = current.length > 0 && current.every((object) => isUnchanged(name, sent, fieldOf(object, name)));
      if (isSame) removeAt(body, unknown.path);
      else refusals.push(invalid(unknown.path.join("."), "is read-only; leave it out, or send its current value"));
    }
  }
  if (refusals.length === 0) return;
  throw new Problem("unprocessable_entity", joinMessages(refusals.map(({ message }) => message)));
}

/** Returns the first unknown names, at most `namesMax`; removes and notes the ignored names before them. */
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
  const similar = nearestName(name, known);
  return invalid(
    [...path.slice(0, -1), printableName(name)].join("."),
    similar === undefined ? `unknown ${kind}` : `unknown ${kind}; did you mean ${similar}?`,
  );
}

/** Returns a name in a form that fits in a message: long names are cut, names with unusual characters are quoted. */
function printableName(name: string): string {
  const cut = name.length > shownCharactersMax ? `${name.slice(0, shownCharactersMax).toWellFormed()}…` : name;
  return /^[\w[\]-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

function isUnchanged(name: string, sent: unknown, current: unknown): boolean {
  if (isDeepStrictEqual(sent, current)) return true;
  if (!growingFields.includes(name)) return false;
  // The client read the object before its first click, for example.
  if (sent === null) return true;
  if (typeof sent === "number" && typeof current === "number") return sent >= 0 && sent <= current;
  return typeof sent === "string" && typeof current === "string" && Date.parse(sent) <= Date.parse(current);
}

/** Returns the last name of a path that lies directly in the object; undefined for any other path. */
function nameAt(objectPath: readonly string[], path: readonly string[]): string | undefined {
  return path.length === objectPath.length + 1 && objectPath.every((name, depth) => path[depth] === name)
    ? path.at(-1)
    : undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => fieldOf(inner, name), value);
}

/** Returns the value of a field, as JSON shows it. */
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
