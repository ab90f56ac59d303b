import { html } from "hono/html";
import { mailButton, mailHeading, mailHtml, mailLink, mailParagraph } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/** A mail whose only purpose is a link: the sentence before it, and what to know about it. */
type LinkMail = { to: string; subject: string; sentence: string; action: string; url: string; closing: string };

/** A mail with one link, in English, since the reader's language is not known. */
export function linkMail({ to, subject, sentence, action, url, closing }: LinkMail): Mail {
  const body = html`${mailHeading(subject)}${mailParagraph(sentence)}${mailButton(action, url)}
${mailParagraph(html`Or copy this link: ${mailLink(url, url)}`)}`;
  return {
    to,
    subject,
    text: `${sentence}\n\n${url}\n\n${closing}\n`,
    html: mailHtml({ language: "en", title: subject, preview: sentence, body, footer: html`${closing}` }),
  };
}
