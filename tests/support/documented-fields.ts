import { endpoints } from "../../src/api/api.ts";
import { openApiDocument } from "../../src/api/http/openapi.ts";
import type { ApiDocument, JsonSchema } from "./generated-requests.ts";

// The type of the generator's result fits any OpenAPI document; ApiDocument has the parts that tests read.
const document = openApiDocument(endpoints, new URL("http://localhost")) as ApiDocument;

/**
 * The names of the fields that the reference documents for an operation's body, or for an object in it, without ignored
 * fields.
 */
export function documentedFields(operationId: string, inField?: string): string[] {
  const body = bodySchemaOf(operationId);
  const schema = inField === undefined ? body : resolved(body.properties?.[inField] ?? {});
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field["x-ignored"] === true ? [] : [name],
  );
}

function bodySchemaOf(operationId: string): JsonSchema {
  const endpoint = endpoints.find((candidate) => candidate.operationId === operationId);
  if (endpoint === undefined) throw new Error(`There is no operation ${operationId}.`);
  const operation = document.paths[endpoint.path]?.[endpoint.method];
  return resolved(operation?.requestBody?.content["application/json"].schema ?? {});
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}
