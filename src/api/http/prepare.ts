import { z } from "@hono/zod-openapi";
import type { App } from "../../app.ts";
import { Problem } from "../../base/problem.ts";
import { yieldIfSliceSpent } from "../../base/time-slices.ts";
import type { Endpoint, ParsedCall } from "./endpoint.ts";
import { Reply } from "./reply.ts";
import { joinMessages, validationMessage } from "./validation-message.ts";

const issuesShownMax = 5;

/**
 * Parses the parts of a call and returns the work that handles them.
 * Throws Problem "unprocessable_entity" that names the first invalid fields.
 */
export async function prepare(
  endpoint: Endpoint,
  app: App,
  call: Omit<ParsedCall, "deps">,
): Promise<() => Promise<Reply>> {
  const { pathSchema, querySchema, bodySchema } = endpoint;
  const parsed: ParsedCall = {
    ...call,
    deps: depsOf(endpoint, app),
    path: parse(pathSchema, call.path),
    query: parse(querySchema, call.query),
    body: bodySchema === undefined ? undefined : await parseBody(bodySchema, call.body),
  };
  return async () => {
    const result = await endpoint.handle(parsed);
    return result instanceof Reply ? result : new Reply({ kind: "json", value: result });
  };
}

/** Returns the resources of App that the handler of an endpoint uses. */
export function depsOf({ uses }: Endpoint, app: App): object {
  return Object.fromEntries(uses.map((name) => [name, app[name]]));
}

/**
 * Returns a value in the form that its schema gives it.
 * Throws Problem "unprocessable_entity" that names the first invalid fields.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  throw validationProblem(result.error.issues);
}

/** Parses as parse does; validates a list element by element and yields to the event loop in between. */
async function parseBody(schema: z.ZodType, value: unknown): Promise<unknown> {
  if (!(schema instanceof z.ZodArray)) return parse(schema, value);
  // The checks of a list only depend on its length, not on its elements.
  const checks = (schema.def.checks ?? []) as z.core.$ZodCheck<unknown[]>[];
  const list = parse(z.array(z.unknown()).check(...checks), value);
  const elements: unknown[] = [];
  const issues: z.core.$ZodIssue[] = [];
  for (const [index, element] of list.entries()) {
    const result = z.safeParse(schema.element, element, { error: validationMessage });
    if (result.success) elements.push(result.data);
    else issues.push(...result.error.issues.map((issue) => ({ ...issue, path: [index, ...issue.path] })));
    if (issues.length >= issuesShownMax) break;
    await yieldIfSliceSpent();
  }
  if (issues.length > 0) throw validationProblem(issues);
  return elements;
}

function validationProblem(issues: readonly z.core.$ZodIssue[]): Problem {
  return new Problem("unprocessable_entity", joinMessages(issues.slice(0, issuesShownMax).map(describe)));
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? `body: ${message}` : `${path.join(".")}: ${message}`;
}
