import { isIP } from "node:net";
import { z } from "@hono/zod-openapi";
import { addressCharactersMax } from "../clicks/address.ts";
import { botKinds } from "../clicks/click.ts";
import { continentOf } from "../clicks/continents.ts";
import { linkPasswordCharactersMax } from "../links/link-password.ts";
import { notCountedReasons } from "../redirects/counting.ts";
import { pageNames } from "../redirects/decision.ts";
import { type Resolution, resolveLink } from "../redirects/resolve-link.ts";
import { instant } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { linkPath } from "./link-schemas.ts";

const endpoint = endpointUsing("db", "now", "redirects");

/** Of a header, and of the path; browsers send far less. */
const headerCharactersMax = 2_000;
const queryCharactersMax = 8_000;

const header = (description: string) => z.string().max(headerCharactersMax).optional().openapi({ description });

const Visitor = z
  .object({
    method: z.enum(["GET", "HEAD"]).default("GET").openapi({ default: "GET" }),
    userAgent: header("The User-Agent header; without one a visitor is taken for a bot.").openapi({
      example: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    }),
    language: header("The Accept-Language header.").openapi({ example: "de-AT,de;q=0.9,en;q=0.8" }),
    purpose: header("The Sec-Purpose header, by which browsers say that they only prefetch."),
    query: z
      .string()
      .max(queryCharactersMax)
      .optional()
      .openapi({ description: "Of the short link.", example: "?src=mail" }),
    path: header("What stands in the path behind the key, still percent-encoded."),
    password: z.string().max(linkPasswordCharactersMax).optional(),
    at: instant().optional().openapi({ description: "The present when absent." }),
    address: z
      .string()
      .max(addressCharactersMax)
      .refine((text) => isIP(text) !== 0, "must be an IP address such as 203.0.113.7")
      .optional()
      .openapi({ description: "Says where the visitor is, and which variant of a test is theirs." }),
    country: z
      .string()
      .toUpperCase()
      .refine((code) => continentOf(code) !== "", "must be an ISO 3166-1 country code such as DE")
      .optional()
      .openapi({ description: "In place of the address's country.", example: "AT" }),
    region: z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, "must be an ISO 3166-2 code such as US-CA")
      .optional(),
    city: header("In English."),
    continent: z.enum(["AF", "AN", "AS", "EU", "NA", "OC", "SA"]).optional().openapi({
      description: "The country's when absent.",
    }),
  })
  .openapi("Visitor");

const Resolved = z
  .object({
    status: z.int().openapi({ description: "The HTTP status that the visitor gets." }),
    outcome: z
      .enum(["destination", "frame", "preview", "fallback", "page", "unavailable"])
      .openapi({ description: "How the answer leads on, as metrics count it." }),
    url: z.string().nullable().openapi({ description: "Where it leads in the end; null for a page." }),
    page: z
      .enum(pageNames)
      .nullable()
      .openapi({ description: "The page shown, or the reason for sending the visitor to expiredUrl or notFoundUrl." }),
    matched: z
      .object({
        kind: z.enum(["url", "rule", "ios", "android", "geo", "testVariant"]),
        index: z.int().optional().openapi({ description: "Of the rule or variant, from 0." }),
        country: z.string().optional().openapi({ description: "Of geo." }),
      })
      .nullable()
      .openapi({ description: "Which of the link's destinations was chosen." }),
    counted: z.boolean().openapi({ description: "Whether it would be a click." }),
    notCounted: z.enum(notCountedReasons).nullable().openapi({ description: "Why not." }),
    bot: z.enum(botKinds).nullable().openapi({ description: "The kind of bot, where that is why." }),
  })
  .openapi("Resolution");

const responseExample: z.input<typeof Resolved> = {
  status: 302,
  outcome: "destination",
  url: "https://example.com/at?src=mail",
  page: null,
  matched: { kind: "rule", index: 0 },
  counted: true,
  notCounted: null,
  bot: null,
};

/** What a visitor of a link would get. */
export const linkResolveEndpoints = [
  endpoint({
    method: "post",
    path: "/links/{linkId}/resolve",
    operationId: "resolveLink",
    summary: "Find out where a visitor would be sent, and why",
    description:
      "Describe a visitor: the answer says what they would get at the moment, which rule decided, and whether it would " +
      "be a click. Decided as a redirect is; nothing is recorded and no click of maxClicks is used.",
    tag: "Links",
    scope: "links.read",
    pathSchema: linkPath,
    bodySchema: Visitor,
    bodyExample: {
      userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
      language: "de-AT,de;q=0.9,en;q=0.8",
      country: "AT",
      query: "?src=mail",
    },
    status: 200,
    responseSchema: Resolved,
    responseExample,
    problems: ["bad_request", "not_found"],
    async handle({ deps, actor, path, body }) {
      return serialise(await resolveLink(deps, actor, path.linkId, body));
    },
  }),
];

function serialise({ isCounted, ...same }: Resolution): z.input<typeof Resolved> {
  return { ...same, counted: isCounted };
}
