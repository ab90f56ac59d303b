import type { Endpoint } from "../../src/api/http/endpoint.ts";
import { seededRandom } from "./clicks.ts";
import type { PlainRequest } from "./requests.ts";

/** The parts of an OpenAPI schema from which values are generated. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: boolean | JsonSchema;
  /** True for an accepted and ignored parameter. */
  "x-ignored"?: boolean;
};

type Parameter = { name: string; in: string; schema: JsonSchema };

/** The parts of the OpenAPI document that tests read. */
export type ApiDocument = {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: Parameter[]; requestBody?: { content: { "application/json": { schema: JsonSchema } } } }
    >
  >;
  components: { schemas: Record<string, JsonSchema> };
};

/** A request below /v1. The path includes the query. */
type GeneratedRequest = { method: string; path: string } & PlainRequest;

/** Generates requests to an endpoint: mostly valid according to its reference, with one or more invalid parts. */
type RequestGenerator = (endpoint: Endpoint, goodPath: string) => GeneratedRequest;

/** Longer than any text the API takes, except URLs and images. */
const longText = "x".repeat(9_000);

/** TABLE of texts that have broken programs before. */
const hostileTexts: readonly string[] = [
  ...["", " ", "\t\n", "\0", "a\0b", "\ud800", "\udc00x", "\u202eabc", "e\u0301", "İ", "ß", "😀".repeat(50), longText],
  ...["null", "undefined", "NaN", "true", "-1", "0", "1e999", "9007199254740993", "0x10", "٣", "--", "-", ",", ",,,"],
  ...["'", '"', "`", "\\", "%", "%00", "%zz", "_", "$1", "'; DROP TABLE links; --", "' OR 1=1", "{{7*7}}"],
  ...["(", "[a-", "*", "a AND b", '"a" NEAR "b', "a* OR", "NOT", "x^", "<svg onload=alert(1)>", "a\r\nX-Header: b"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "../../etc/passwd", "file:///etc/passwd", "//", "/"],
  ...[
    "javascript:alert(1)",
    "http://",
    "https://[",
    "https://a:99999/",
    "https://%",
    "http://169.254.169.254/",
    "ext_",
  ],
  ...[
    "https://例え.テスト/ü?x=ß#y",
    "https://user:password@a.example",
    "data:image/png;base64,",
    "data:image/png;base64,AA",
  ],
  ...["9999-99-99", "0000-00-00", "2026-02-30", "+275760-09-13", "-000001-01-01", "2026-11-20T25:00", "1970-01-01"],
  ...[
    "2026-11-20T09:30:00+99:99",
    "Europe/Berlin",
    "Etc/GMT+14",
    "UTC",
    "a@b",
    "a\0@b.c",
    "x<a@b.example>",
    "::1",
    "a..b",
  ],
];

/** TABLE of JSON texts of unusual values. */
const hostileValues: readonly string[] = [
  ...[
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e308",
    "-1e308",
    "1e999",
    "9007199254740993",
    "2147483648",
    "1e-320",
  ],
  ...["{}", "[]", "[[]]", "[null]", "[{}]", '{"":""}', '{"a":{"a":{"a":{}}}}', '[[[[["x"]]]]]', '["a","a"]'],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"length":-1}', '{"then":1}', '{"toJSON":1}'],
  ...[`[${Array(150).fill('"x"').join(",")}]`, `[${Array(150).fill("{}").join(",")}]`],
  ...hostileTexts.map((text) => JSON.stringify(text)),
];

/** TABLE of texts that some field accepts. */
const plausibleTexts: readonly ((number: number) => string)[] = [
  (number) => `text-${number}`,
  (number) => `https://example.com/${number}?a=b#c`,
  (number) => `${number}.example.com`,
  (number) => new Date(Date.UTC(2026, 0, number)).toISOString(),
];

/** The share of invalid parts of a request: from very few, so that it reaches the database, to nearly all. */
const wrongShares = [0.02, 0.1, 0.3];

/** The HTTP server refuses longer URLs before they reach the API. */
const queryCharactersMax = 12_000;

/** Opens a generator; the same seed generates the same requests. */
export function openRequestGenerator(document: ApiDocument, seed: number): RequestGenerator {
  const chance = seededRandom(seed);
  let wrongShare = 0;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(chance() * items.length)];
  /** True with the given probability. */
  const happensWith = (probability: number) => chance() < probability;
  const between = (low: number, high: number) => low + Math.floor(chance() * (high - low + 1));

  /** JSON text of a value, mostly one that the schema allows. */
  function valueText(written: JsonSchema, depth = 0): string {
    if (depth > 8 || happensWith(depth === 0 ? wrongShare / 4 : wrongShare)) return pick(hostileValues) ?? "null";
    const schema = resolved(written);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return JSON.stringify(pick(schema.enum) ?? null);
    if (schema.example !== undefined && happensWith(0.5)) return JSON.stringify(schema.example);
    const type = pick([schema.type ?? "object"].flat());
    if (type === "string") return JSON.stringify(textOf(schema));
    if (type === "number" || type === "integer") return String(numberOf(schema));
    if (type === "boolean") return String(happensWith(0.5));
    if (type === "array") return `[${listOf(schema, depth).join(",")}]`;
    return type === "null" ? "null" : `{${fieldsOf(schema, depth).join(",")}}`;
  }

  /** The example's valid fields and some generated ones: with only generated fields, hardly any body is accepted. */
  function bodyText({ bodyExample }: Endpoint, schema: JsonSchema): string {
    if (typeof bodyExample !== "object" || bodyExample === null || happensWith(0.2)) return valueText(schema);
    if (Array.isArray(bodyExample))
      return `[${[...bodyExample.map((item) => JSON.stringify(item)), valueText(schema.items ?? {}, 1)].join(",")}]`;
    const { properties = {} } = resolved(schema);
    const share = Math.min(0.5, 2 / Object.keys(properties).length);
    const own = Object.entries(bodyExample).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    const others = Object.entries(properties).filter(() => happensWith(share));
    // If a name occurs twice, the last value counts.
    return `{${[...own, ...others.map(([name, field]) => `${JSON.stringify(name)}:${valueText(field, 1)}`)].join(",")}}`;
  }

  function resolved(schema: JsonSchema): JsonSchema {
    if (schema.$ref !== undefined) return resolved(document.components.schemas[nameIn(schema.$ref)] ?? {});
    const choice = pick(schema.anyOf ?? schema.oneOf ?? []);
    if (choice !== undefined) return resolved(choice);
    if (schema.allOf === undefined) return schema;
    const parts = schema.allOf.map(resolved);
    return Object.assign({}, ...parts, { properties: Object.assign({}, ...parts.map((part) => part.properties)) });
  }

  /** A text, often of a length near the schema's bounds. */
  function textOf({ example, minLength = 0, maxLength }: JsonSchema): string {
    if (happensWith(wrongShare)) return pick(hostileTexts) ?? "";
    if (happensWith(wrongShare)) return "é".repeat((maxLength ?? 250) + between(-1, 1));
    if (happensWith(wrongShare)) return "a".repeat(Math.max(0, minLength + between(-1, 1)));
    if (typeof example === "string" && happensWith(0.5)) return example;
    return pick(plausibleTexts)?.(between(0, 999)) ?? "";
  }

  function numberOf({ minimum = 0, maximum = 1_000 }: JsonSchema): number {
    return pick([minimum, minimum - 1, maximum, maximum + 1, between(minimum, maximum), minimum + 0.5]) ?? 0;
  }

  function listOf({ items = {}, minItems = 0 }: JsonSchema, depth: number): string[] {
    return Array.from({ length: between(Math.max(0, minItems - 1), minItems + 2) }, () => valueText(items, depth + 1));
  }

  function fieldsOf({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): string[] {
    const entries = Object.entries(properties).filter(([name]) => happensWith(required.includes(name) ? 0.95 : 0.25));
    if (typeof additionalProperties === "object")
      entries.push([pick(["DE", ...hostileTexts]) ?? "", additionalProperties]);
    const fields = entries.map(([name, schema]) => `${JSON.stringify(name)}:${valueText(schema, depth + 1)}`);
    const strange = happensWith(wrongShare) ? [`${JSON.stringify(pick(hostileTexts))}:${pick(hostileValues)}`] : [];
    return [...fields, ...strange];
  }

  /** A parameter's value as written in the URL, sometimes with bytes that are not valid text. */
  function parameterText(schema: JsonSchema): string {
    if (happensWith(wrongShare / 4)) return pick(["%", "%ff", "%c3%28", "%ed%a0%80", "%00", "+", "&", "="]) ?? "";
    if (happensWith(wrongShare)) return encoded(pick(hostileTexts) ?? "");
    const value: unknown = JSON.parse(valueText(schema, 1));
    return encoded(typeof value === "string" ? value : JSON.stringify(value));
  }

  function queryOf(parameters: readonly Parameter[]): string {
    // Nearly all random workspaces are foreign, and the server then ignores the rest of the request.
    const isAsked = ({ name }: Parameter) => name !== "workspaceId" || happensWith(wrongShare);
    const named = parameters.filter((parameter) => parameter.in === "query" && isAsked(parameter));
    const share = Math.min(0.6, 3 / Math.max(1, named.length));
    const chosen = named.flatMap((parameter) => (happensWith(share) ? [parameter] : []));
    const twice = happensWith(wrongShare / 2) ? chosen.slice(0, 1) : [];
    const parts = [...chosen, ...twice].map(({ name, schema }) => `${name}=${parameterText(schema)}`);
    if (happensWith(wrongShare))
      parts.push(`${encoded(pick(hostileTexts) ?? "")}=${encoded(pick(hostileTexts) ?? "")}`);
    return parts.length === 0 ? "" : `?${parts.join("&").slice(0, queryCharactersMax)}`;
  }

  function headersOf(): Record<string, string> {
    const names = ["Idempotency-Key", "If-Match", "If-None-Match", "Accept", "Accept-Encoding", "X-Request-Id"];
    const values = ["*", "x", '"x"', 'W/"x", "y"', '"', ",", "é", "q=2", "br;q=x", "image/svg+xml;q=", "y".repeat(300)];
    return happensWith(wrongShare) ? { [pick(names) ?? ""]: pick(values) ?? "" } : {};
  }

  return (endpoint, goodPath) => {
    const { method, path } = endpoint;
    wrongShare = pick(wrongShares) ?? 0;
    const { parameters = [], requestBody } = document.paths[path]?.[method] ?? {};
    const strangePath = path.replaceAll(/\{\w+\}/g, () => encoded(pick(hostileTexts) ?? ""));
    const [bare = "", goodQuery] = (happensWith(wrongShare) ? strangePath : goodPath).split("?");
    const query = goodQuery === undefined || happensWith(0.5) ? queryOf(parameters) : `?${goodQuery}`;
    const request = { method: method.toUpperCase(), path: bare + query, headers: headersOf() };
    if (requestBody === undefined) return request;
    const body = bodyText(endpoint, requestBody.content["application/json"].schema);
    return { ...request, body: happensWith(wrongShare / 4) ? body.slice(0, between(0, body.length)) : body };
  };
}

function nameIn(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
