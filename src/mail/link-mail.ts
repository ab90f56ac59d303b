import { html } from "hono/html";
import type { AccountMailTexts, LinkMailTexts } from "./account-mail-texts.ts";
import { mailButton, mailHeading, mailHtml, mailLink, mailParagraph } from "./mail-layout.ts";
import type { Mail } from "./mailer.ts";

/**
 * A mail whose only purpose is a link, in the language of `texts`. A warning ends with the same in English: an intruder who
 * has signed in has chosen the language.
 */
export function linkMail(
  { language, orCopy }: AccountMailTexts,
  { to, url }: { to: string; url: string },
  { subject, sentence, action, closing }: LinkMailTexts,
  warning?: Pick<LinkMailTexts, "sentence" | "closing">,
): Mail {
  const inEnglish = warning === undefined || language === "en" ? "" : `${warning.sentence} ${warning.closing}`;
  const body = html`${mailHeading(subject)}${mailParagraph(sentence)}${mailButton(action, url)}
${mailParagraph(html`${orCopy} ${mailLink(url, url)}`)}`;
  const footer = inEnglish === "" ? html`${closing}` : html`${closing}<br><br><span lang="en">${inEnglish}</span>`;
  return {
    to,
    subject,
    text: [sentence, url, closing, ...(inEnglish === "" ? [] : [inEnglish])].map((part) => `${part}\n`).join("\n"),
    html: mailHtml({ language, title: subject, preview: sentence, body, footer }),
  };
}
