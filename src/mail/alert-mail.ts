import { html } from "hono/html";
import { mailHeading, mailParagraph } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";
import type { NotificationTexts } from "./notification-texts.ts";
import { type NotificationAddress, notificationMail, number } from "./report-mail.ts";

/** A day with unusually many or few clicks; `day` is its date: "2026-11-20". */
type UnusualDayContent = { kind: "spike" | "drop"; day: string; clicks: number; typical: number };

/** The mail about a spike or a drop of the named subject. */
export function unusualDayMail(
  texts: NotificationTexts,
  { kind, day, clicks, typical }: UnusualDayContent,
  { subject, address }: { subject: string; address: NotificationAddress },
): Mail {
  const title = kind === "spike" ? texts.spike(subject) : texts.drop(subject);
  const date = new Intl.DateTimeFormat(texts.language, { dateStyle: "full", timeZone: "UTC" }).format(Date.parse(day));
  const say = kind === "spike" ? texts.spikeText : texts.dropText;
  const sentence = say(date, number(texts, clicks), number(texts, typical));
  return notificationMail(texts, address, {
    ...{ title, preview: sentence, text: [title, "", sentence], open: texts.openReport },
    body: html`${mailHeading(title)}${mailParagraph(sentence)}`,
  });
}

/** The mail that tests an alert: what it would be about, without an event. */
export function testAlertMail(
  texts: NotificationTexts,
  content: { kind: "spike" | "drop" | "failingDomain"; subject: string; address: NotificationAddress },
): Mail {
  const { kind, subject, address } = content;
  const titles = { spike: texts.spike, drop: texts.drop, failingDomain: texts.domain };
  const title = titles[kind](subject);
  const open = kind === "failingDomain" ? texts.openDomains : texts.openReport;
  return notificationMail(texts, address, {
    ...{ title, preview: texts.testAlert, text: [title, "", texts.testAlert], open },
    body: html`${mailHeading(title)}${mailParagraph(texts.testAlert)}`,
  });
}

/** A failing domain, and when its links stop. */
type FailingDomainContent = { slug: string; stage: "began" | "endsSoon"; linksStopAt: number };

/** The mail about domains whose ownership record is missing; at least one. */
export function failingDomainMail(
  texts: NotificationTexts,
  domains: readonly FailingDomainContent[],
  { timeZone, address }: { timeZone: string; address: NotificationAddress },
): Mail {
  const time = new Intl.DateTimeFormat(texts.language, { dateStyle: "full", timeStyle: "short", timeZone });
  const [first] = domains;
  const title =
    domains.length === 1 && first !== undefined
      ? texts.domain(first.slug)
      : texts.domains(number(texts, domains.length));
  const sentences = domains.map(({ slug, stage, linksStopAt }) =>
    (stage === "began" ? texts.domainBegan : texts.domainEndsSoon)(slug, time.format(linksStopAt)),
  );
  return notificationMail(texts, address, {
    ...{ title, preview: sentences[0] ?? "", open: texts.openDomains },
    text: [title, "", ...sentences, "", texts.domainHint],
    body: html`${mailHeading(title)}${sentences.map(mailParagraph)}${mailParagraph(texts.domainHint)}`,
  });
}
