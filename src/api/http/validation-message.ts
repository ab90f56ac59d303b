import type { z } from "@hono/zod-openapi";

/**
 * TABLE of the messages for invalid values: each says what is valid, with the accepted range or values. The caller puts
 * the field's name in front. A message in a schema takes precedence.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(issue.expected, issue.input);
    case "too_small":
      return boundMessage(
        issue,
        issue.minimum,
        issue.exact === true ? "exactly" : issue.inclusive ? "at least" : "more than",
      );
    case "too_big":
      return boundMessage(
        issue,
        issue.maximum,
        issue.exact === true ? "exactly" : issue.inclusive ? "at most" : "less than",
      );
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formatMessage(issue);
    case "invalid_union":
      return unionMessage(issue);
    case "unrecognized_keys":
      return `must not have the field ${issue.keys.join(", ")}`;
    case "invalid_key":
      return `has an invalid name: it ${issue.issues[0]?.message ?? "is not allowed"}`;
    case "invalid_element":
      return `has an invalid element: it ${issue.issues[0]?.message ?? "is not allowed"}`;
    default:
      // "custom": a refinement without a message.
      return "is not valid; see the reference at /docs";
  }
}

/** Joins the messages about a request, each with its field in front, into one sentence with a full stop. */
export function joinMessages(messages: readonly string[]): string {
  const clauses = messages.map((message) => message.replace(/\.$/, ""));
  return clauses.join("; ").replace(/[^.?!]$/, "$&.");
}

/** TABLE of the names of types in messages. */
const typeNames: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a JSON object",
  record: "a JSON object",
  null: "null",
  undefined: "left out",
  nan: "a number",
  date: "a date",
};

function typeMessage(expected: string, input: unknown): string {
  const right = `must be ${typeNames[expected] ?? expected}`;
  if (input === undefined) return `is missing; it ${right}`;
  // A repeated query parameter arrives as a list.
  if (expected === "string" && Array.isArray(input) && input.length > 1) return "must be one text, not a list";
  return right;
}

/** TABLE of the units in which each kind of value is measured; a number has none. */
const units: Record<string, { one: string; many: string }> = {
  string: { one: "character", many: "characters" },
  array: { one: "entry", many: "entries" },
  set: { one: "entry", many: "entries" },
  map: { one: "entry", many: "entries" },
  object: { one: "field", many: "fields" },
  record: { one: "field", many: "fields" },
  file: { one: "byte", many: "bytes" },
};

function boundMessage({ origin }: { origin: string }, bound: number | bigint, relation: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${relation} ${bound}`;
  return `must have ${relation} ${bound} ${bound === 1 ? unit.one : unit.many}`;
}

/** TABLE of formats, each with an example. */
const formats: Record<string, string> = {
  url: "a URL such as https://example.com/page",
  email: "an e-mail address such as you@example.com",
  datetime: "a date and time such as 2027-01-31T12:00:00Z",
  date: "a date such as 2027-01-31",
  time: "a time such as 12:00:00",
  uuid: "a UUID such as 123e4567-e89b-42d3-a456-426614174000",
  ipv4: "an IPv4 address such as 192.0.2.10",
  ipv6: "an IPv6 address such as 2001:db8::10",
  base64: "text in base64",
  json_string: "text that contains JSON",
};

function formatMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const { format, prefix, suffix, includes, pattern } = { prefix: "", suffix: "", includes: "", pattern: "", ...issue };
  if (format === "starts_with") return `must begin with ${prefix}`;
  if (format === "ends_with") return `must end with ${suffix}`;
  if (format === "includes") return `must contain ${includes}`;
  const right = formats[format];
  return right === undefined ? `must have the form ${pattern}` : `must be ${right}`;
}

/** Names all accepted kinds; if one kind fits except for a value inside it, names that value instead. */
function unionMessage({ errors, ...rest }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const options = "options" in rest && Array.isArray(rest.options) ? rest.options : [];
  if (options.length > 0) return `must be one of ${options.map(String).join(", ")}`;
  const first = errors.flatMap((issues) => issues.slice(0, 1));
  const inner = first.find(({ path }) => path.length > 0);
  if (inner !== undefined) return `${inner.path.join(".")}: ${inner.message}`;
  const kinds = [...new Set(first.map(({ message }) => message.replace(/^is missing; it /, "")))];
  return kinds.map((kind, index) => (index === 0 ? kind : kind.replace(/^must be /, ""))).join(", or ");
}
