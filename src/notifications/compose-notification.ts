import { reportAnalytics } from "../analytics/report-analytics.ts";
import type { TimeZone } from "../analytics/time-zone.ts";
import { dayMs } from "../base/time.ts";
import { failingDomainMail, testAlertMail, unusualDayMail } from "../mail/alert-mail.ts";
import { asPhrase } from "../mail/mail-layout.ts";
import type { Mail } from "../mail/mailer.ts";
import { notificationTexts } from "../mail/notification-texts.ts";
import { type NotificationAddress, reportMail } from "../mail/report-mail.ts";
import { type DueNotification, readerOf } from "./due-notifications.ts";
import { type AnnouncedDomain, findDomainsToAnnounce } from "./failing-domains.ts";
import { daysNeeded, judgeDay, type UnusualDay } from "./judge-day.ts";
import { findSubject, type NotificationSubject } from "./notification-subject.ts";
import { type ReadReportDeps, readReport } from "./read-report.ts";
import { localDay, type ReportKind, reportPeriod } from "./schedule.ts";
import { unsubscribeSecret, unsubscribeToken } from "./unsubscribe.ts";

/** What a mail covers, so that it is sent once: a period, or stages of failing domains. */
export type MailSubject = { kind: "period"; period: string } | { kind: "domains"; domains: readonly AnnouncedDomain[] };

/** A mail that is ready to be sent. */
export type ComposedMail = { mail: Mail; covers: MailSubject };

/** What every mail of one notification needs. */
type Composing = { due: DueNotification; to: string; zone: TimeZone; now: number };

/**
 * The mail that a due notification has to send now; undefined for none. Reads only.
 * Throws a Problem while the clicks cannot be read, and for a subject that is gone.
 */
export async function composeNotification(
  deps: ReadReportDeps,
  composing: Composing,
): Promise<ComposedMail | undefined> {
  const { due, now } = composing;
  if (due.kind === "failingDomain") return await composeDomainAlert(deps, composing);
  const subject = await findSubject(deps.db, due, { now, appUrl: deps.appUrl });
  if (subject === undefined) return undefined;
  const named = { ...subject, name: asPhrase(subject.name) };
  return due.kind === "spike" || due.kind === "drop"
    ? await composeDayAlert(deps, composing, named, due.kind)
    : await composeReport(deps, composing, named, due.kind);
}

/**
 * A mail as a test of a notification: the report of the last period, or a sentence that says what the alert is about. Its
 * subject says that it is a test. undefined for a subject that is gone.
 * Throws a Problem while the clicks cannot be read.
 */
export async function composeTest(deps: ReadReportDeps, composing: Composing): Promise<Mail | undefined> {
  const { kind, language } = composing.due;
  const texts = notificationTexts[language];
  const due = { ...composing.due, sentPeriod: null };
  const mail =
    kind === "weeklyReport" || kind === "monthlyReport"
      ? (await composeNotification(deps, { ...composing, due }))?.mail
      : await composeTestAlert(deps, composing, kind);
  if (mail === undefined) return undefined;
  // Without an id: each test is a new mail, also for a mail server that drops repeated ones.
  const { id: _, ...test } = mail;
  return { ...test, subject: texts.test(mail.subject) };
}

async function composeTestAlert(
  deps: ReadReportDeps,
  composing: Composing,
  kind: "spike" | "drop" | "failingDomain",
): Promise<Mail | undefined> {
  const { due, now } = composing;
  const texts = notificationTexts[due.language];
  if (kind === "failingDomain") {
    const address = await addressOf(deps, composing, "test", new URL(`/app/w/${due.workspaceId}/domains`, deps.appUrl));
    return testAlertMail(texts, { kind, subject: asPhrase(due.workspace), address });
  }
  const subject = await findSubject(deps.db, due, { now, appUrl: deps.appUrl });
  if (subject === undefined) return undefined;
  const address = await addressOf(deps, composing, "test", subject.page);
  return testAlertMail(texts, { kind, subject: asPhrase(subject.name), address });
}

async function composeReport(
  deps: ReadReportDeps,
  composing: Composing,
  subject: NotificationSubject,
  kind: ReportKind,
): Promise<ComposedMail | undefined> {
  const { due, zone, now } = composing;
  const period = reportPeriod(kind, now, zone);
  if (due.sentPeriod !== null && due.sentPeriod >= period.day) return undefined;
  const texts = notificationTexts[due.language];
  const content = await readReport(deps, due, { subject, period, texts });
  const { from, to, previousFrom } = period;
  const days = { from, to: to - 1, previousFrom, previousTo: from - 1, timeZone: zone.name };
  const address = await addressOf(deps, composing, period.day, pageOf(subject, zone, { from, to }));
  const title = kind === "weeklyReport" ? texts.weekly(subject.name) : texts.monthly(subject.name);
  return { mail: reportMail(texts, title, { content, days, address }), covers: { kind: "period", period: period.day } };
}

/** A spike is announced during its day, or after it if it came late; a drop when its day is over. */
async function composeDayAlert(
  deps: ReadReportDeps,
  composing: Composing,
  subject: NotificationSubject,
  kind: "spike" | "drop",
): Promise<ComposedMail | undefined> {
  const { due, zone, now } = composing;
  // The days from 30 days ago to today.
  const report = await reportAnalytics(deps, readerOf(due), {
    ...{ event: "clicks", groupBy: "timeseries", interval: "30d", timezone: zone.name, ...subject.scope },
  });
  if (report.kind !== "timeseries") return undefined;
  const clicks = report.buckets.map(({ bucket }) => bucket.clicks);
  for (const daysAgo of kind === "spike" ? [1, 0] : [1]) {
    const day = localDay(now, zone, -daysAgo);
    if (due.sentPeriod !== null && due.sentPeriod >= day) continue;
    const unusual = judge(kind, clicks.slice(-(daysNeeded + 1) - daysAgo, clicks.length - daysAgo), {
      ...{ day, due, bornOn: localDay(subject.createdAt, zone) },
    });
    if (unusual === undefined) continue;
    const address = await addressOf(deps, composing, day, subject.page);
    const mail = unusualDayMail(
      notificationTexts[due.language],
      { kind, day, ...unusual },
      { subject: subject.name, address },
    );
    return { mail, covers: { kind: "period", period: day } };
  }
  return undefined;
}

function judge(
  kind: "spike" | "drop",
  clicks: readonly number[],
  { day, due, bornOn }: { day: string; due: DueNotification; bornOn: string },
): UnusualDay | undefined {
  const alertedOn = due.lastSentAt === null ? null : due.sentPeriod;
  const daysSinceAlert = alertedOn === null ? undefined : daysBetween(alertedOn, day);
  return judgeDay(kind, { clicks, age: daysBetween(bornOn, day), daysSinceAlert });
}

function daysBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / dayMs;
}

async function composeDomainAlert(deps: ReadReportDeps, composing: Composing): Promise<ComposedMail | undefined> {
  const { due, zone, now } = composing;
  const domains = await findDomainsToAnnounce(deps.db, due, now);
  if (domains.length === 0) return undefined;
  const page = new URL(`/app/w/${due.workspaceId}/domains`, deps.appUrl);
  // Differs between two mails, and is the same for two attempts at one.
  const part = domains.map(({ domainId, failingSince, stage }) => `${domainId}-${failingSince}-${stage}`)[0] ?? "";
  const address = await addressOf(deps, composing, part, page);
  const mail = failingDomainMail(notificationTexts[due.language], domains, { timeZone: zone.name, address });
  return { mail, covers: { kind: "domains", domains } };
}

async function addressOf(
  { db, appUrl }: ReadReportDeps,
  { due, to }: Composing,
  part: string,
  page: URL,
): Promise<NotificationAddress> {
  const token = unsubscribeToken(await unsubscribeSecret(db), due.id);
  return {
    ...{ to, id: `${due.id}.${part}`, workspace: asPhrase(due.workspace), openUrl: page.href },
    manageUrl: new URL(`/app/w/${due.workspaceId}/account/notifications`, appUrl).href,
    unsubscribeUrl: new URL(`/app/unsubscribe/${token}`, appUrl).href,
  };
}

/** The page of a subject with a report's period, in local time. */
function pageOf({ page }: NotificationSubject, zone: TimeZone, { from, to }: { from: number; to: number }): URL {
  const url = new URL(page);
  const local = (instant: number) => new Date(instant + zone.offsetAt(instant)).toISOString().slice(0, 16);
  url.searchParams.set("start", local(from));
  url.searchParams.set("end", local(to));
  url.searchParams.set("timezone", zone.name);
  return url;
}
