import { html } from "hono/html";
import { type Markup, mailButton, mailHeading, mailHtml, mailLink, mailParagraph } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";
import type { NotificationTexts } from "./notification-texts.ts";

/** A number of a report, and the same of the previous period. */
type ReportFigure = { now: number; before: number };
/** A row of a list: a name and its clicks. */
export type ReportRow = { name: string; clicks: number };

/** What a report says. Names of links and referrers are as they are shown; countries are ISO codes, or "Unknown". */
export type ReportMailContent = {
  clicks: ReportFigure;
  visitors: ReportFigure;
  topLinks: readonly ReportRow[];
  countries: readonly ReportRow[];
  referrers: readonly ReportRow[];
};

/** Where a notification goes and what its links open. `id` is the same for every attempt at one mail. */
export type NotificationAddress = {
  to: string;
  id: string;
  workspace: string;
  openUrl: string;
  manageUrl: string;
  unsubscribeUrl: string;
};

/** The days of a report and of the period before it. Instants; `to` is the last instant of the last day. */
type ReportDays = { from: number; to: number; previousFrom: number; previousTo: number; timeZone: string };

/** The mail with a weekly or monthly report; `title` is its subject and heading. */
export function reportMail(
  texts: NotificationTexts,
  title: string,
  { content, days, address }: { content: ReportMailContent; days: ReportDays; address: NotificationAddress },
): Mail {
  const period = dayRange(texts, days.from, days.to, days.timeZone);
  const compared = texts.comparedWith(dayRange(texts, days.previousFrom, days.previousTo, days.timeZone));
  const lists = listsOf(texts, content);
  const figures = [
    { label: texts.clicks, figure: content.clicks },
    { label: texts.visitors, figure: content.visitors },
  ];
  const preview = figures.map(({ label, figure }) => `${label}: ${number(texts, figure.now)}`).join(" · ");
  const text = [
    ...[title, period, ""],
    ...figures.map(({ label, figure }) => `${label}: ${number(texts, figure.now)} (${change(texts, figure).text})`),
    compared,
    ...lists.flatMap(({ heading, rows }) => [
      ...["", heading],
      ...rows.map(({ name, clicks }) => `  ${name}: ${number(texts, clicks)}`),
    ]),
    ...(lists.length === 0 ? ["", texts.noClicks] : []),
  ];
  const body = html`${mailHeading(title)}${mailParagraph(period)}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin-top:20px"><tr>
${figures.map(({ label, figure }) => figureCell(texts, label, figure))}</tr></table>
<p class="muted" style="margin:8px 0 0;font-size:13px;color:#4d5765">${compared}</p>
${lists.map(({ heading, rows }) => rowList(texts, heading, rows))}
${lists.length === 0 ? mailParagraph(texts.noClicks) : ""}`;
  return notificationMail(texts, address, { title, preview, text, body, open: texts.openReport });
}

/** The parts that differ between notifications. */
type NotificationPage = { title: string; preview: string; text: readonly string[]; body: Markup; open: string };

/** A mail about a notification: its content, a button, why it was sent, and how to unsubscribe. */
export function notificationMail(
  texts: NotificationTexts,
  { to, id, workspace, openUrl, manageUrl, unsubscribeUrl }: NotificationAddress,
  { title, preview, text, body, open }: NotificationPage,
): Mail {
  const why = texts.why(workspace);
  const lines = [
    ...text,
    ...["", `${open}: ${openUrl}`, "", "--", why],
    ...[`${texts.unsubscribe}: ${unsubscribeUrl}`, `${texts.manage}: ${manageUrl}`, ""],
  ];
  const footer = html`${why}<br>${mailLink(texts.unsubscribe, unsubscribeUrl)} · ${mailLink(texts.manage, manageUrl)}`;
  const page = { language: texts.language, title, preview, body: html`${body}${mailButton(open, openUrl)}`, footer };
  return { to, id, subject: title, text: lines.join("\n"), html: mailHtml(page), unsubscribeUrl };
}

/** A number in the language of the mail. */
export function number({ language }: NotificationTexts, value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

function dayRange({ language }: NotificationTexts, from: number, to: number, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone }).formatRange(from, to);
}

function change(texts: NotificationTexts, { now, before }: ReportFigure): { text: string; direction: string } {
  if (before === 0) return { text: now === 0 ? texts.unchanged : texts.noComparison, direction: "muted" };
  const share = (now - before) / before;
  const percent = new Intl.NumberFormat(texts.language, { style: "percent" }).format(Math.abs(share));
  if (Math.round(Math.abs(share) * 100) === 0) return { text: texts.unchanged, direction: "muted" };
  return share > 0 ? { text: texts.up(percent), direction: "up" } : { text: texts.down(percent), direction: "down" };
}

/** TABLE of the colors of changes by their classes, which the dark theme overrides. */
const changeColors: Readonly<Record<string, string>> = { up: "#0a6b43", down: "#b3261e", muted: "#4d5765" };

function figureCell(texts: NotificationTexts, label: string, figure: ReportFigure): Markup {
  const { text, direction } = change(texts, figure);
  return html`<td width="50%" valign="top" style="padding-right:12px">
<div class="muted" style="font-size:13px;color:#4d5765">${label}</div>
<div class="ink" style="font-size:28px;line-height:1.3;font-weight:600;color:#141a23">${number(texts, figure.now)}</div>
<div class="${direction}" style="font-size:13px;color:${changeColors[direction] ?? ""}">${text}</div></td>`;
}

type ReportList = { heading: string; rows: readonly ReportRow[] };

/** The lists that have rows, with the names of countries. */
function listsOf(texts: NotificationTexts, { topLinks, countries, referrers }: ReportMailContent): ReportList[] {
  const names = new Intl.DisplayNames(texts.language, { type: "region" });
  const named = countries.map(({ name, clicks }) => ({
    name: /^[A-Z]{2}$/.test(name) ? (names.of(name) ?? name) : texts.unknown,
    clicks,
  }));
  return [
    { heading: texts.topLinks, rows: topLinks },
    { heading: texts.countries, rows: named },
    { heading: texts.referrers, rows: referrers },
  ].filter(({ rows }) => rows.length > 0);
}

/** A list with a bar below each name, in proportion to the largest row. */
function rowList(texts: NotificationTexts, heading: string, rows: readonly ReportRow[]): Markup {
  const most = Math.max(1, ...rows.map(({ clicks }) => clicks));
  return html`<h2 class="ink line" style="margin:24px 0 4px;padding-top:20px;border-top:1px solid #e2e5ea;font-size:15px;font-weight:600;color:#141a23">${heading}</h2>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="table-layout:fixed">
${rows.map(
  ({ name, clicks }) => html`<tr>
<td class="ink" style="padding:6px 12px 6px 0;font-size:14px;line-height:1.4;color:#141a23;word-break:break-word">${name}
<div class="track" style="margin-top:4px;height:4px;border-radius:2px;background:#eff1f4"><div class="bar" style="height:4px;border-radius:2px;background:#1d4ed8;width:${Math.round((clicks / most) * 100)}%"></div></div></td>
<td class="muted" width="80" align="right" valign="top" style="padding:6px 0;font-size:14px;color:#4d5765">${number(texts, clicks)}</td></tr>`,
)}</table>`;
}
