import { Problem } from "../../base/problem.ts";

const nestingMax = 32;
const queryParametersMax = 200;

/**
 * Returns the parameters of a query as an object. A repeated parameter becomes an array, also as `ids[]=a` or
 * `ids[0]=a`.
 * Throws "unprocessable_entity" for too many parameters and for texts that the database cannot store.
 */
export function readQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  let count = 0;
  for (const [written, value] of new URLSearchParams(text)) {
    const name = written.replace(/\[\d{0,3}\]$/, "");
    if (++count > queryParametersMax) {
      throw new Problem("unprocessable_entity", `The query must have at most ${queryParametersMax} parameters.`);
    }
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  requireStorable(query, "query");
  return query;
}

/**
 * Refuses NUL, which PostgreSQL cannot store, lone surrogates, which UTF-8 cannot express, and nesting deeper than
 * nestingMax, anywhere in a value, keys included. Walks without recursion, so that no body exhausts the stack.
 */
export function requireStorable(value: unknown, where: string): void {
  const pending = [{ value, where, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value === "string") requireStorableText(next.value, next.where);
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= nestingMax) {
      throw new Problem("unprocessable_entity", `${where}: values must be nested at most ${nestingMax} levels deep.`);
    }
    const depth = next.depth + 1;
    if (Array.isArray(next.value)) {
      // Lists of texts and numbers can be long, so they get no entry per element.
      for (const child of next.value) {
        if (typeof child === "string") requireStorableText(child, next.where);
        else if (typeof child === "object") pending.push({ value: child, where: next.where, depth });
      }
      continue;
    }
    for (const [name, child] of Object.entries(next.value)) {
      requireStorableText(name, next.where);
      pending.push({ value: child, where: name, depth });
    }
  }
}

function requireStorableText(text: string, where: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new Problem("unprocessable_entity", `${where}: text must not contain NUL characters or unpaired surrogates.`);
  }
}
