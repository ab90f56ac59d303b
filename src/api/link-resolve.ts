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

const endpoint = endpointUsing({ tag: "Links", uses: ["db", "now", "redirects"] });

/** The limit of a header and of the path; browsers send far less. */
const headerCharactersMax = 2_000;
const queryCharactersMax = 8_000;

const header = (description: string) => z.string().max(headerCharactersMax).optional().openapi({ description });

const Visitor = z
  .object({
    method: z.enum(["GET", "HEAD"]).default("GET").openapi({ default: "GET" }),
    userAgent: header("The User-Agent header; a visitor without one is treated as a bot.").openapi({
      example: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    }),
    language: header("The Accept-Language header.").openapi({ example: "de-AT,de;q=0.9,en;q=0.8" }),
    purpose: header("The Sec-Purpose header, which browsers send with a prefetch."),
    query: z
      .string()
      .max(queryCharactersMax)
      .optional()
      .openapi({ description: "The query of the short link.", example: "?src=mail" }),
    path: header("The path after the key, percent-encoded."),
    password: z.string().max(linkPasswordCharactersMax).optional(),
    at: instant().optional().openapi({ description: "The current time if absent." }),
    address: z
      .string()
      .max(addressCharactersMax)
      .refine((text) => isIP(text) !== 0, "must be an IP address such as 203.0.113.7")
      .optional()
      .openapi({ description: "Determines the visitor's place and test variant." }),
    country: z
      .string()
      .toUpperCase()
      .refine((code) => continentOf(code) !== "", "must be an ISO 3166-1 country code such as DE")
      .optional()
      .openapi({ description: "Overrides the country of the IP address.", example: "AT" }),
    region: z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, "must be an ISO 3166-2 code such as US-CA")
      .optional(),
    city: header("In English."),
    continent: z.enum(["AF", "AN", "AS", "EU", "NA", "OC", "SA"]).optional().openapi({
      description: "The country's continent if absent.",
    }),
  })
  .openapi("Visitor");

const Resolved = z
  .object({
    status: z.int().openapi({ description: "The HTTP status of the response to the visitor." }),
    outcome: z
      .enum(["destination", "frame", "preview", "fallback", "page", "unavailable"])
      .openapi({ description: "The kind of response, as metrics count it." }),
    url: z.string().nullable().openapi({ description: "The final destination; null for a page." }),
    page: z
      .enum(pageNames)
      .nullable()
      .openapi({ description: "The page, or the reason for a redirect to expiredUrl or notFoundUrl." }),
    matched: z
      .object({
        kind: z.enum(["url", "rule", "ios", "android", "geo", "testVariant"]),
        index: z.int().optional().openapi({ description: "The index of the rule or variant, from 0." }),
        country: z.string().optional().openapi({ description: "The country in geo." }),
      })
      .nullable()
      .openapi({ description: "The chosen destination of the link." }),
    counted: z.boolean().openapi({ description: "Whether the visit would count as a click." }),
    notCounted: z.enum(notCountedReasons).nullable().openapi({ description: "The reason if it would not count." }),
    bot: z.enum(botKinds).nullable().openapi({ description: "The kind of bot, if that is the reason." }),
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

/** The operation that resolves a link for a visitor. */
export const linkResolveEndpoints = [
  endpoint({
    method: "post",
    path: "/links/{linkId}/resolve",
    operationId: "resolveLink",
    summary: "Resolve a link for a described visitor",
    description:
      "Describe a visitor. The response shows what they would get now, which rule decided, and whether the visit would " +
      "count. Uses the same decision as a redirect, but records nothing and uses no click of maxClicks.",
    scope: "links.read",
    pathSchema: linkPath,
    bodySchema: Visitor,
    bodyExample: {
      userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
      language: "de-AT,de;q=0.9,en;q=0.8",
      country: "AT",
      query: "?src=mail",
    },
    responseSchema: Resolved,
    responseExample,
    handle: async ({ deps, actor, path, body }) => serialize(await resolveLink(deps, actor, path.linkId, body)),
  }),
];

function serialize({ isCounted, ...same }: Resolution): z.input<typeof Resolved> {
  return { ...same, counted: isCounted };
}
