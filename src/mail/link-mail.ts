import { html } from "hono/html";
import type { AccountMailTexts, LinkMailTexts } from "./account-mail-texts.ts";
import { mailButton, mailHeading, mailHtml, mailLink, mailParagraph } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/** A mail whose only purpose is a link, in the language of `texts`. */
export function linkMail(
  { language, orCopy }: AccountMailTexts,
  { to, url }: { to: string; url: string },
  { subject, sentence, action, closing }: LinkMailTexts,
): Mail {
  const body = html`${mailHeading(subject)}${mailParagraph(sentence)}${mailButton(action, url)}
${mailParagraph(html`${orCopy} ${mailLink(url, url)}`)}`;
  return {
    to,
    subject,
    text: `${sentence}\n\n${url}\n\n${closing}\n`,
    html: mailHtml({ language, title: subject, preview: sentence, body, footer: html`${closing}` }),
  };
}
