import { z } from "@hono/zod-openapi";
import { fetchPageTags } from "../links/fetch-page-tags.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "Links", uses: ["config", "pageFetches", "safeFetch"] });

const textOrNull = z.string().nullable();
const PageTags = z.object({ title: textOrNull, description: textOrNull, image: textOrNull }).openapi("PageTags");

/** Longer URLs do not fit the head of a request. */
const urlCharactersMax = 8_000;
/** One call costs as much as this many others: it makes the service request another server. */
const callsPerPage = 10;

/** The operation that reads the tags of a page. */
export const pageTagEndpoints = [
  endpoint({
    method: "get",
    path: "/metatags",
    operationId: "getMetatags",
    summary: "Retrieve the title, description and image of a web page",
    description:
      "Requests the page and reads its Open Graph and meta tags, cut to the limits of a link. All are null for a page that does not answer within 5 seconds or is no HTML. " +
      `Only public addresses are requested. Counts as ${callsPerPage} calls against the rate limit.`,
    scope: "links.write",
    querySchema: z.object({
      url: z
        .string("is missing; it must be the URL of a page")
        .max(urlCharactersMax)
        .openapi({ description: "If the scheme is missing, https:// is added.", example: "https://example.com/sale" }),
    }),
    responseSchema: PageTags,
    responseExample: {
      title: "Spring sale",
      description: "Everything for balcony and garden.",
      image: "https://example.com/sale.png",
    },
    async handle({ deps, actor, query, spend }) {
      spend(callsPerPage - 1);
      return await fetchPageTags(deps, actor, query.url);
    },
  }),
];
