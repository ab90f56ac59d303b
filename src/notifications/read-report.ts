import { directLabel, unknownLabel } from "../analytics/filters.ts";
import { type AnalyticsInput, type AnalyticsRow, reportAnalytics } from "../analytics/report-analytics.ts";
import { isoTime } from "../base/time.ts";
import { instanceSlug } from "../domains/domain.ts";
import { shortLinkOf } from "../links/short-link.ts";
import type { NotificationTexts } from "../mail/notification-texts.ts";
import type { ReportMailContent, ReportRow } from "../mail/report-mail.ts";
import { type DueNotification, readerOf } from "./due-notifications.ts";
import { type NotificationSubject, shownLink } from "./notification-subject.ts";
import type { ReportPeriod } from "./schedule.ts";

/** Rows of each list in a report. */
const rowsMax = 5;

/** The dependencies of reports by mail. */
export type ReadReportDeps = Parameters<typeof reportAnalytics>[0] & { appUrl: URL };

/**
 * Reads the numbers of a report, in five queries that wait for their turn among the workspace's others. It names links,
 * countries and referrers, and no destination, so that a report about a share says only what the share shows.
 * Throws like reportAnalytics.
 */
export async function readReport(
  deps: ReadReportDeps,
  due: DueNotification,
  { subject, period, texts }: { subject: NotificationSubject; period: ReportPeriod; texts: NotificationTexts },
): Promise<ReportMailContent> {
  const during = (from: number, to: number) => ({ start: isoTime(from), end: isoTime(to), timezone: due.timeZone });
  const report = (input: Pick<AnalyticsInput, "groupBy" | "metric">, from = period.from, to = period.to) =>
    reportAnalytics(deps, readerOf(due), {
      ...{ event: "clicks", interval: "30d", limit: rowsMax, ...during(from, to), ...subject.scope, ...input },
    });
  const count = async (from: number, to: number) => {
    const counted = await report({ groupBy: "count", metric: "visitors" }, from, to);
    return counted.kind === "count" ? counted.numbers : { clicks: 0 };
  };
  const rows = async (groupBy: AnalyticsInput["groupBy"], nameOf: (row: AnalyticsRow) => string) => {
    const listed = await report({ groupBy });
    if (listed.kind !== "rows") return [];
    return listed.rows.map((row): ReportRow => ({ name: nameOf(row), clicks: row.numbers.clicks }));
  };
  const now = await count(period.from, period.to);
  const before = await count(period.previousFrom, period.from);
  return {
    clicks: { now: now.clicks, before: before.clicks },
    visitors: { now: now.visitors ?? 0, before: before.visitors ?? 0 },
    topLinks:
      subject.scope.linkId === undefined ? await rows("top_links", (row) => linkName(row, deps.appUrl, texts)) : [],
    countries: await rows("countries", (row) => fieldOf(row, "country")),
    referrers: await rows("referer_groups", (row) => referrerName(fieldOf(row, "refererGroup"), texts)),
  };
}

function linkName({ subject }: AnalyticsRow, appUrl: URL, texts: NotificationTexts): string {
  if (subject.kind === "link") return shownLink(shortLinkOf(subject.link, appUrl));
  if (subject.kind !== "deletedLink") return texts.unknown;
  const { domain, key } = subject.link;
  const isOnInstanceDomain = domain === instanceSlug(appUrl);
  return texts.deleted(shownLink(shortLinkOf({ domain, key, isOnInstanceDomain }, appUrl)));
}

function fieldOf({ subject }: AnalyticsRow, field: string): string {
  return subject.kind === "values" ? (subject.fields[field] ?? unknownLabel) : unknownLabel;
}

function referrerName(value: string, texts: NotificationTexts): string {
  if (value === directLabel) return texts.direct;
  return value === unknownLabel ? texts.unknown : value;
}
