import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import { urlCharactersMax, utmCharactersMax } from "../links/destination-url.ts";
import type { LinkField } from "../links/field-kinds.ts";
import {
  type FieldInputs,
  type FieldName,
  type FieldOfKind,
  type FieldValues,
  fieldEntries,
  type NamesWith,
} from "../links/fields.ts";
import { instantFields } from "../links/link.ts";
import type { Rule as RuleNoun } from "../links/link-rules.ts";
import { testPercentageMax, testPercentageMin, testVariantsMax, testVariantsMin } from "../links/test-variants.ts";
import { instant, timestamp } from "./field-schemas.ts";
import { Rule, refusePrototype, rulesBody, serializeRule } from "./rule-schemas.ts";

/** The API schemas of the fields in the table of links/fields.ts, and the fields as JSON. */

/** A URL in a body. */
export const urlText = z.string().max(urlCharactersMax, `must have at most ${urlCharactersMax} characters`);

/** A utm field, or `ref`, in a body. */
export const utmText = z
  .string()
  .trim()
  .max(utmCharactersMax, `must have at most ${utmCharactersMax} characters`)
  .nullish();

const TestVariant = z
  .object({
    url: z.string().openapi({ example: "https://example.com/variant-a" }),
    percentage: z.number().openapi({ example: 50 }),
  })
  .openapi("TestVariant");

const geoExample = { DE: "https://example.com/de" };

/** TABLE of the schemas of structured fields: in a body, and in a response where the field is set. */
const jsonSchemas = {
  rules: { body: rulesBody, shown: z.array(Rule) },
  geo: {
    body: z
      .preprocess(refusePrototype, z.record(z.string(), urlText).nullish())
      .openapi({ type: ["object", "null"], additionalProperties: { type: "string", maxLength: urlCharactersMax } })
      .openapi({ example: geoExample }),
    shown: z.record(z.string(), z.string()),
  },
  testVariants: {
    body: z
      .array(z.object({ url: urlText, percentage: z.number().min(testPercentageMin).max(testPercentageMax) }))
      .min(testVariantsMin)
      .max(testVariantsMax)
      .nullish(),
    shown: z.array(TestVariant),
  },
} satisfies Record<FieldOfKind<"json">, { body: z.ZodType; shown: z.ZodType }>;

/** The schemas of the fields in a body. */
export const fieldBodies = Object.fromEntries(
  fieldEntries.map(([name, field]) => {
    const { description } = field;
    return [
      name,
      description === undefined ? bodySchema(name, field) : bodySchema(name, field).openapi({ description }),
    ];
  }),
  // Every name gets the schema of its kind, which accepts what FieldInputs says.
) as { [Name in FieldName]: z.ZodOptional<z.ZodType<Exclude<FieldInputs[Name], undefined>>> };

/** A field's value in a response, before it is known whether it is set. */
type Shown<Name extends FieldName> = Name extends "rules"
  ? z.input<typeof Rule>[] | null
  : Name extends FieldOfKind<"instant">
    ? string | null
    : FieldValues[Name];
type OmittedField = NamesWith<{ isOmittedWhenUnset: true }>;
/** The fields as a response shows them. */
type ShownFields = {
  [Name in Exclude<FieldName, OmittedField>]: Shown<Name>;
} & { [Name in OmittedField]?: NonNullable<Shown<Name>> };

/** The schemas of the fields in a response. */
export const fieldAnswers = Object.fromEntries(
  fieldEntries.map(([name, field]) => [name, answerSchema(name, field)]),
  // Every name gets the schema of its kind, which describes what ShownFields says.
) as unknown as {
  [Name in FieldName]: Name extends OmittedField
    ? z.ZodOptional<z.ZodType<NonNullable<Shown<Name>>, NonNullable<Shown<Name>>>>
    : z.ZodType<Shown<Name>, Shown<Name>>;
};

/** The instants, and the end of a day that a date without a time means in each. */
export const fieldDayEdges = Object.fromEntries(
  fieldEntries.flatMap(([name, field]) => (field.kind === "instant" ? [[name, field.dateMeans] as const] : [])),
);

/** The fields of a link as a response shows them. */
export function serializeFields(values: FieldValues): ShownFields {
  const shown: Record<string, unknown> = {};
  for (const [name, field] of fieldEntries) {
    const value = values[name];
    const isUnset = value === null || value === false;
    if (!(isUnset && field.isOmittedWhenUnset)) shown[name] = fieldAsJson(name, value);
  }
  // The loop visits every name.
  return shown as ShownFields;
}

/** A field of a link, named as in Link, as JSON: instants, also those in rules, are ISO 8601. */
export function fieldAsJson(name: string, value: unknown): unknown {
  // The only field of this name has this type.
  if (name === "rules" && Array.isArray(value)) return (value as RuleNoun[]).map(serializeRule);
  return typeof value === "number" && instants.has(name) ? isoTime(value) : value;
}

const instants: ReadonlySet<string> = new Set(instantFields);

function bodySchema(name: FieldName, field: LinkField): z.ZodType {
  switch (field.kind) {
    case "text":
      return field.charactersMax === undefined ? z.string().nullish() : nullableText(field.charactersMax);
    case "url":
      return urlText.nullish();
    case "utm":
      return utmText;
    case "instant":
      // An explicit type hides from the document that null is accepted, so the type names null too.
      return instant(field.dateMeans)
        .nullish()
        .openapi({ type: ["string", "null"] });
    case "flag":
      return z.boolean().optional();
    case "nullableFlag":
      return z.boolean().nullish();
    case "integer":
      return z.int().min(field.min).max(field.max).nullish();
    case "choice":
      return oneOf(field.choices)
        .nullish()
        .openapi({ type: ["integer", "null"], enum: [...field.choices, null] });
    case "json":
      return jsonSchemaOf(name).body;
  }
}

function answerSchema(name: FieldName, field: LinkField): z.ZodType {
  const whenSet = schemaWhenSet(name, field);
  if (field.isOmittedWhenUnset) {
    const meaning = field.unsetMeans === undefined ? "" : `, which means ${field.unsetMeans}`;
    return whenSet.optional().openapi({ description: `Left out while unset${meaning}.` });
  }
  if (field.kind === "flag" || field.kind === "nullableFlag") return z.boolean();
  return name === "geo" ? whenSet.nullable().openapi({ example: geoExample }) : whenSet.nullable();
}

function schemaWhenSet(name: FieldName, field: LinkField) {
  switch (field.kind) {
    case "text":
    case "url":
    case "utm":
      return z.string();
    case "instant":
      return timestamp;
    case "flag":
    case "nullableFlag":
      return z.literal(true);
    case "integer":
      return z.int();
    case "choice":
      return oneOf(field.choices);
    case "json":
      return jsonSchemaOf(name).shown;
  }
}

function jsonSchemaOf(name: FieldName): { body: z.ZodType; shown: z.ZodType } {
  const schemas: Partial<Record<FieldName, { body: z.ZodType; shown: z.ZodType }>> = jsonSchemas;
  const found = schemas[name];
  if (found === undefined) throw new Error(`No schema for the structured field ${name}.`);
  return found;
}

/** A text of limited length in a body, or null. */
export function nullableText(max: number) {
  return z.string().max(max, `must have at most ${max} characters`).nullish();
}

function oneOf(choices: readonly number[]) {
  const expected = `must be one of the numbers ${choices.join(", ")}`;
  return z
    .number(expected)
    .refine((value) => choices.includes(value), { message: expected })
    .openapi({ type: "integer", enum: [...choices] });
}
