import { z } from "@hono/zod-openapi";
import { type AnalyticsGrouping, groupings } from "../analytics/groupings.ts";
import { intervalDefault, intervals } from "../analytics/interval.ts";
import { type OpenShare, openShare, requireOpenShare, unlockShare } from "../analytics/open-share.ts";
import { reportAnalytics, type Subject } from "../analytics/report-analytics.ts";
import { sharePasswordCharactersMax } from "../analytics/shares.ts";
import { invalid } from "../base/problem.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { AnalyticsCount, AnalyticsRow, analyticsRowsExample, fieldsOf, reportReply } from "./analytics.ts";
import {
  clickQuery,
  groupingParameter,
  intervalDescription,
  oneOf,
  reportDeps,
  reportQuery,
  reportUses,
  rowLimit,
  unitQuery,
  usualUnits,
} from "./analytics-schemas.ts";
import { timestamp } from "./field-schemas.ts";
import { publicEndpointUsing } from "./http/endpoint.ts";

const publicEndpoint = publicEndpointUsing({
  tag: "Shares",
  uses: ["attempts", "config", "db", ...reportUses],
});

/**
 * The operations that everyone with the URL of a share can call without a key.
 *
 * They reveal no destination and nothing about other links: groupings and filters by url, domain, folder and tag are
 * missing, a link in a folder shows only its short link, and the interval `all` is missing, since it begins with the
 * workspace's first click.
 */

const hiddenGroupings = ["top_urls", "top_base_urls", "top_domains", "top_folders", "top_link_tags"] as const;
const sharedGroupings = (Object.keys(groupings) as AnalyticsGrouping[]).filter(
  (grouping) => !hiddenGroupings.some((one) => one === grouping) && groupings[grouping].kind !== "none",
);
const sharedIntervals = intervals.filter((interval) => interval !== "all");

const Shared = z
  .object({
    needsPassword: z
      .boolean()
      .openapi({ description: "Whether the other fields are hidden until the request has a pass." }),
    title: z.string().nullable(),
    kind: z.enum(["link", "folder"]).nullable(),
    shortLink: z.string().nullable().openapi({ description: "The short link, for a link." }),
    folder: z.string().nullable().openapi({ description: "The name, for a folder." }),
    expiresAt: timestamp.nullable(),
    intervals: z.array(z.enum(sharedIntervals)),
    groupings: z.array(z.enum(sharedGroupings)),
  })
  .openapi("SharedAnalytics");

const choices = { intervals: [...sharedIntervals], groupings: [...sharedGroupings] };
const locked: z.input<typeof Shared> = {
  ...{ needsPassword: true, title: null, kind: null, shortLink: null, folder: null, expiresAt: null },
  ...choices,
};
const example: z.input<typeof Shared> = {
  ...{ needsPassword: false, title: "Spring campaign", kind: "link", shortLink: "https://go.example.com/spring" },
  ...{ folder: null, expiresAt: null },
  ...choices,
};

const Pass = z.object({ token: z.string(), expiresAt: timestamp }).openapi("SharePass");

const sharedPath = z.object({ shareToken: z.string().openapi({ example: "4fT9…" }) });
/** The parameters of reports that reveal nothing about other links. */
const { shape: sharedParameters } = z.object(clickQuery).pick({
  ...({ start: true, end: true, timezone: true, bots: true } as const),
  ...({ country: true, region: true, city: true, continent: true, language: true } as const),
  ...({ device: true, browser: true, os: true, trigger: true, bot: true } as const),
  ...({ channel: true, refererGroup: true, referer: true, refererUrl: true } as const),
  ...({ utm_source: true, utm_medium: true, utm_campaign: true, utm_term: true, utm_content: true } as const),
});
const sharedQuery = z.object({
  groupBy: groupingParameter(sharedGroupings),
  limit: rowLimit,
  interval: z
    .enum(sharedIntervals, oneOf(sharedIntervals))
    .default(intervalDefault)
    .openapi({ description: `${intervalDescription} ${usualUnits}` }),
  unit: unitQuery,
  ...sharedParameters,
  ...reportQuery,
});

/** The public operations on shares. */
export const sharedEndpoints = [
  publicEndpoint({
    method: "get",
    path: "/shared/{shareToken}",
    operationId: "getShared",
    summary: "Retrieve the subject of a share",
    pathSchema: sharedPath,
    querySchema: z.object({}),
    responseSchema: Shared,
    responseExample: example,
    async handle({ deps, path, request }) {
      const share = await openShare(deps, path.shareToken, passOf(request));
      return share === "locked" ? locked : describe(share, deps.config.WAYPOST_URL);
    },
  }),
  publicEndpoint({
    method: "post",
    path: "/shared/{shareToken}/access",
    operationId: "unlockShared",
    summary: "Unlock a share with its password",
    description: "Returns a pass for the header `Authorization: Bearer <pass>` of the other two operations.",
    returnsSecret: true,
    pathSchema: sharedPath,
    querySchema: z.object({}),
    bodySchema: z.object({ password: z.string().max(sharePasswordCharactersMax, "is not the password of this share") }),
    bodyExample: { password: "tulips" },
    responseSchema: Pass,
    responseExample: { token: "wpv_…", expiresAt: "2026-11-20T21:30:00.000Z" },
    async handle({ deps, path, body, address, request }) {
      const unlockDeps = { ...deps, limits: deps.attempts.share, signal: request.signal };
      const pass = await unlockShare(unlockDeps, { token: path.shareToken, address }, body.password);
      return { token: pass.token, expiresAt: isoTime(pass.expiresAt) };
    },
  }),
  publicEndpoint({
    method: "get",
    path: "/shared/{shareToken}/analytics",
    operationId: "reportShared",
    summary: "Report the clicks of a share",
    description:
      "Like `GET /analytics`, for the share's link or folder only. Shows no destinations, and only the short links of a folder's links.",
    pathSchema: sharedPath,
    querySchema: sharedQuery,
    mayTruncate: true,
    responseSchema: z.union([AnalyticsCount, z.array(AnalyticsRow)]),
    responseExample: analyticsRowsExample,
    problems: ["unauthorized"],
    async handle({ deps, path, query, request }) {
      const { actor, about } = await requireOpenShare(deps, path.shareToken, passOf(request));
      if (query.end !== undefined && query.start === undefined) throw invalid("start", "is required if end is given.");
      const scope = about.kind === "link" ? { linkId: about.link.id } : { folderId: about.folder.id };
      const report = await reportAnalytics(reportDeps(deps), actor, { ...query, event: "clicks", ...scope });
      return reportReply(report, (subject) => shownFields(subject, deps.config.WAYPOST_URL));
    },
  }),
];

function passOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function describe({ name, expiresAt, about }: OpenShare, appUrl: URL): z.input<typeof Shared> {
  const shortLink = about.kind === "link" ? shortLinkOf(about.link, appUrl) : null;
  const folder = about.kind === "folder" ? about.folder.name : null;
  return {
    needsPassword: false,
    title: name ?? shortLink ?? folder,
    kind: about.kind,
    ...{ shortLink, folder, expiresAt: isoTimeOrNull(expiresAt) },
    ...choices,
  };
}

/** Shows only what visitors to a link know. */
function shownFields(subject: Subject, appUrl: URL): Record<string, unknown> {
  if (subject.kind === "link") {
    const { domain, key } = subject.link;
    return { domain, key, shortLink: shortLinkOf(subject.link, appUrl) };
  }
  return subject.kind === "deletedLink" ? { deleted: true } : fieldsOf(subject, appUrl);
}
