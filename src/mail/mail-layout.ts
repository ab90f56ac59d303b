import { html, raw } from "hono/html";

/**
 * The layout of all mails. Mail programs drop scripts, and many drop style sheets and load no images, so every element
 * has inline styles and there are no images. The style element only adds the dark theme, in the dashboard's colors. The
 * table has a fixed layout, so that a long link breaks and does not widen the mail beyond the screen.
 */

/** A piece of markup; values inserted into it were escaped. */
export type Markup = ReturnType<typeof html>;

/** The parts of a mail. `preview` is what an inbox shows beside the subject. */
type MailPage = { language: string; title: string; preview: string; body: Markup; footer: Markup };

const darkTheme = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.canvas{background:#0c1015!important}.card{background:#141a21!important;border-color:#28313c!important}
.ink{color:#eceff4!important}.muted{color:#b1bbc8!important}.line{border-color:#28313c!important}
.track{background:#1b222b!important}.bar{background:#82aaff!important}.link{color:#82aaff!important}
.button{background:#82aaff!important;color:#0a1222!important}.up{color:#63d6a0!important}.down{color:#ff9d93!important}}`;

const font = "font-family:Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** A whole mail as HTML. */
export function mailHtml({ language, title, preview, body, footer }: MailPage): string {
  return String(html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${title}</title><style>${raw(darkTheme)}</style></head>
<body class="canvas" style="margin:0;padding:0;background:#f6f7f9">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<table role="presentation" class="canvas" width="100%" cellpadding="0" cellspacing="0" style="background:#f6f7f9"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;table-layout:fixed;${font}">
<tr><td class="ink" style="padding:0 4px 16px;font-size:15px;font-weight:600;color:#141a23">Waypost</td></tr>
<tr><td class="card" style="background:#ffffff;border:1px solid #e2e5ea;border-radius:12px;padding:28px;word-wrap:break-word">${body}</td></tr>
<tr><td class="muted" style="padding:16px 4px 0;font-size:13px;line-height:1.5;color:#4d5765;word-wrap:break-word">${footer}</td></tr>
</table></td></tr></table></body></html>`);
}

/** The heading of a mail. */
export function mailHeading(text: string): Markup {
  return html`<h1 class="ink" style="margin:0;font-size:20px;line-height:1.35;font-weight:600;color:#141a23">${text}</h1>`;
}

/** A paragraph. */
export function mailParagraph(text: string | Markup): Markup {
  return html`<p class="muted" style="margin:8px 0 0;font-size:15px;line-height:1.5;color:#4d5765">${text}</p>`;
}

/** The link that a mail is about, as a button. */
export function mailButton(label: string, url: string): Markup {
  return html`<p style="margin:24px 0 0"><a class="button" href="${url}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-size:15px;font-weight:500;text-decoration:none">${label}</a></p>`;
}

/** A link within a text. */
export function mailLink(label: string, url: string): Markup {
  return html`<a class="link" href="${url}" style="color:#1d4ed8">${label}</a>`;
}

/** Characters of a name that people choose, in a subject and a sentence. */
const nameShownMax = 80;

/** A name as one line without line breaks and control characters, cut if it is too long. */
export function asPhrase(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length <= nameShownMax ? line : `${line.slice(0, nameShownMax).toWellFormed()}…`;
}
