import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import { urlCharactersMax } from "../links/destination-url.ts";
import { type Rule as RuleNoun, rulesMax, ruleValueCharactersMax, ruleValuesMax } from "../links/link-rules.ts";
import { instant, timestamp } from "./field-schemas.ts";

const text = z.string().max(ruleValueCharactersMax, `must have at most ${ruleValueCharactersMax} characters`);
const shownValues = z.union([z.string(), z.array(z.string())]);
const shownValue = shownValues.optional();
const values = z
  .union([text, z.array(text).max(ruleValuesMax)], `must be text, or a list of at most ${ruleValuesMax} texts`)
  .optional();

/** A rule as the API shows it. */
export const Rule = z
  .object({
    when: z.object({
      country: shownValue,
      region: shownValue,
      continent: shownValue,
      device: shownValue,
      os: shownValue,
      browser: shownValue,
      language: shownValue,
      query: z.record(z.string(), z.string()).optional(),
      before: timestamp.optional(),
      after: timestamp.optional(),
    }),
    url: z.string(),
  })
  .openapi("Rule", { example: { when: { country: "DE" }, url: "https://example.com/de" } });

/** Rules in a body. */
export const rulesBody = z
  .array(
    z.object({
      when: z.object({
        country: values.openapi({ description: "ISO 3166-1 codes such as DE." }),
        region: values.openapi({ description: "ISO 3166-2 codes such as US-CA." }),
        continent: values.openapi({ description: "AF, AN, AS, EU, NA, OC or SA." }),
        device: values.openapi({ description: "Desktop, Mobile or Tablet." }),
        os: values,
        browser: values,
        language: values.openapi({ description: "Languages such as de or pt-br." }),
        query: z
          .preprocess(refusePrototype, z.record(text, text).optional())
          .openapi({ type: "object", additionalProperties: { type: "string" } })
          .openapi({ description: "Query parameters of the visit and their required values." }),
        before: instant("end").optional().openapi({ description: "A date without a time means the end of that day." }),
        after: instant("start")
          .optional()
          .openapi({ description: "A date without a time means the start of that day." }),
      }),
      url: z.string().max(urlCharactersMax, `must have at most ${urlCharactersMax} characters`),
    }),
  )
  .max(rulesMax, `must have at most ${rulesMax} rules`)
  .nullish();

/** Refuses a record with a field named __proto__, which its schema would drop silently. */
export function refusePrototype(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
    context.addIssue({ code: "custom", message: "must not have a field named __proto__" });
  }
  return value;
}

/** Returns a rule as the API shows and accepts it. */
export function serializeRule({ when, url }: RuleNoun): z.input<typeof Rule> {
  const { before, after, ...same } = when;
  return {
    when: {
      ...same,
      ...(before === undefined ? {} : { before: isoTime(before) }),
      ...(after === undefined ? {} : { after: isoTime(after) }),
    },
    url,
  };
}
