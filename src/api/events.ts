import { z } from "@hono/zod-openapi";
import { directLabel, unknownLabel } from "../analytics/filters.ts";
import { intervalDefault, intervals } from "../analytics/interval.ts";
import { type ClickEvent, eventLimitMax, eventPageMax, listEvents, listedEvents } from "../analytics/list-events.ts";
import { timeOfId } from "../base/ids.ts";
import { isoTime } from "../base/time.ts";
import { botKinds, type Click } from "../clicks/click.ts";
import { referrerGroupOf } from "../clicks/referrer-group.ts";
import { instanceSlug } from "../domains/domain.ts";
import { type Link as LinkNoun, linkFromSummary } from "../links/link.ts";
import { clickQuery, dubQuery, intervalDescription, oneOf, reportDeps, reportUses } from "./analytics-schemas.ts";
import { callsOfPage } from "./calls-of-page.ts";
import { queryInteger, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";
import { Link, serializeLink } from "./link-schemas.ts";

const endpoint = endpointUsing({ tag: "Analytics", uses: ["config", ...reportUses] });

const orders = ["asc", "desc"] as const;
const sorts = ["timestamp"] as const;
const eventLimitDefault = 100;

/** The requested kind of event. */
export const eventKind = z
  .enum(listedEvents, oneOf(listedEvents))
  .default("clicks")
  .openapi({ description: "Leads and sales are not supported yet." });

const eventsQuery = z.object({
  event: eventKind,
  interval: z.enum(intervals, oneOf(intervals)).default(intervalDefault).openapi({ description: intervalDescription }),
  ...clickQuery,
  ...dubQuery,
  page: queryInteger(1, eventPageMax).default(1).openapi({ default: 1 }),
  limit: queryInteger(1, eventLimitMax).default(eventLimitDefault).openapi({ default: eventLimitDefault }),
  sortOrder: z.enum(orders, oneOf(orders)).default("desc"),
  sortBy: z.enum(sorts, oneOf(sorts)).default("timestamp"),
  order: z
    .enum(orders, oneOf(orders))
    .default("desc")
    .openapi({ deprecated: true, description: "`asc` equals sortOrder=asc." }),
});

const textOrUnknown = z.string().openapi({ description: "`Unknown` if unknown." });
const noAddress = z.literal("").openapi({ description: "Always empty: Waypost stores no IP addresses." });

/** A click as the API shows it. */
export const ClickEventSchema = z
  .object({
    event: z.literal("click"),
    timestamp,
    click: z.object({
      id: z.string(),
      timestamp,
      url: z.string(),
      country: textOrUnknown,
      city: textOrUnknown,
      region: textOrUnknown,
      continent: textOrUnknown,
      device: textOrUnknown,
      browser: textOrUnknown,
      os: textOrUnknown,
      refererGroup: z.string().openapi({
        description:
          "A service such as Google, or the host, as in the grouping `referer_groups`; `(direct)` if absent.",
      }),
      referer: z.string().openapi({ description: "`(direct)` if absent." }),
      refererUrl: z.string().openapi({ description: "`(direct)` if absent." }),
      trigger: z.string(),
      qr: z.boolean(),
      bot: z.enum(botKinds).nullable().openapi({ description: "The kind of bot; null for a person." }),
      ip: noAddress,
      ua: z.null().openapi({ description: "Always null: Waypost stores no user agents." }),
    }),
    link: Link.extend({
      deleted: z
        .literal(true)
        .optional()
        .openapi({ description: "Only for deleted links, which appear as they were clicked." }),
    }).openapi({ description: "The link in its current state." }),
    click_id: z.string(),
    link_id: z.string(),
    domain: z.string().openapi({ description: "The current slug of the click's domain." }),
    key: z.string().openapi({ description: "The key at the time of the click." }),
    url: z.string().openapi({ description: "The destination of the click." }),
    continent: textOrUnknown,
    country: textOrUnknown,
    city: textOrUnknown,
    device: textOrUnknown,
    browser: textOrUnknown,
    os: textOrUnknown,
    ip: noAddress,
    qr: z.literal([0, 1]),
  })
  .openapi("ClickEvent");

const clickExample: Click = {
  id: "019a8b5c-6d7e-7f80-9a0b-1c2d3e4f5061",
  time: Date.UTC(2026, 10, 20, 9, 30, 15, 250),
  workspaceId: 1,
  linkId: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  domainId: "dom_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  domain: "go.example.com",
  key: "spring",
  url: "https://example.com/sale?utm_source=mail",
  country: "DE",
  region: "",
  city: "",
  continent: "EU",
  device: "Mobile",
  browser: "Safari",
  os: "iOS",
  referer: "news.example.com",
  refererUrl: "https://news.example.com/today",
  language: "de",
  trigger: "link",
  bot: "",
  visitor: "",
  utm_source: "mail",
  utm_medium: "",
  utm_campaign: "",
  utm_term: "",
  utm_content: "",
};

/** The operations on individual clicks. */
export const eventEndpoints = [
  endpoint({
    method: "get",
    path: "/events",
    operationId: "listEvents",
    summary: "List individual clicks",
    description:
      "Newest first by default. A deleted link appears as of the click: with id, domain, key and url, archived, `deleted: true`, and nothing else. Each 256 KiB of texts in a page counts as one request.",
    scope: "analytics.read",
    querySchema: eventsQuery,
    isPaged: true,
    responseSchema: z.array(ClickEventSchema),
    responseExample: [eventExample()],
    async handle(call) {
      const { deps, actor, query, spend } = call;
      const { sortOrder, sortBy: _, order: oldOrder, ...question } = query;
      const order = sortOrder === "asc" || oldOrder === "asc" ? "oldestFirst" : "newestFirst";
      const events = await listEvents(reportDeps(deps), actor, { ...question, order });
      const items = serializeEvents(events, deps.config.WAYPOST_URL);
      // Each event repeats its link, which may have hundreds of kilobytes.
      spend(callsOfPage(items) - 1);
      return pagedReply(call, items, { requested: { page: query.page, pageSize: query.limit }, pageMax: eventPageMax });
    },
  }),
];

/** Returns an example of an event. */
export function eventExample(): z.input<typeof ClickEventSchema> {
  const event = { click: clickExample, link: undefined, domain: clickExample.domain };
  return serializeEvent(event, new URL("https://links.example.com"));
}

/** Returns events as the API shows them. Converts each link once, since a page often has the same link in each event. */
function serializeEvents(events: readonly ClickEvent[], appUrl: URL): z.input<typeof ClickEventSchema>[] {
  const links = new Map<LinkNoun, z.input<typeof Link>>();
  const linkOf = (link: LinkNoun) => {
    const shown = links.get(link) ?? serializeLink(link, appUrl);
    links.set(link, shown);
    return shown;
  };
  return events.map((event) => serializeEvent(event, appUrl, linkOf));
}

/** Returns an event as the API shows it. */
export function serializeEvent(
  { click, link, domain }: ClickEvent,
  appUrl: URL,
  linkOf = (known: LinkNoun) => serializeLink(known, appUrl),
): z.input<typeof ClickEventSchema> {
  const at = isoTime(click.time);
  const { id, url } = click;
  const seen = {
    continent: known(click.continent),
    country: known(click.country),
    city: known(click.city),
    device: known(click.device),
    browser: known(click.browser),
    os: known(click.os),
  };
  const isScan = click.trigger === "qr";
  return {
    event: "click",
    timestamp: at,
    click: {
      ...{ id, timestamp: at, url, ...seen },
      region: known(click.region),
      refererGroup: referrerGroupOf(click.referer).refererGroup || directLabel,
      referer: click.referer === "" ? directLabel : click.referer,
      refererUrl: click.refererUrl === "" ? directLabel : click.refererUrl,
      trigger: click.trigger,
      ...{ qr: isScan, bot: click.bot === "" ? null : click.bot, ip: "", ua: null },
    },
    link:
      link === undefined
        ? { ...serializeLink(deletedLink(click, domain, appUrl), appUrl), deleted: true }
        : linkOf(link),
    ...{ click_id: id, link_id: click.linkId, domain, key: click.key, url, ...seen, ip: "", qr: isScan ? 1 : 0 },
  };
}

function known(value: string): string {
  return value === "" ? unknownLabel : value;
}

/** Returns a deleted link in the form of a link, since clients expect a link in each event. */
function deletedLink(click: Click, domain: string, appUrl: URL): LinkNoun {
  const createdAt = timeOfId(click.linkId) ?? click.time;
  const { linkId: id, workspaceId, domainId, key, url } = click;
  const summary = linkFromSummary({ id, workspaceId, domainId, domain, key, url, createdAt });
  return { ...summary, isOnInstanceDomain: domain === instanceSlug(appUrl), archived: true };
}
