import { html, raw } from "hono/html";
import { Recent } from "../base/recent.ts";
import { Answer, type AnswerFields } from "./answer.ts";
import type { PageName } from "./destination.ts";
import { cardStyle } from "./page-style.ts";
import { type PageTexts, type PasswordNote, textsFor } from "./page-texts.ts";

/**
 * The fields of a page of ours that a visitor can meet, whose only style is `style`.
 * No script, no outside request, no framing; `sources` names what else the page may load. Nothing on form-action:
 * browsers hold the redirect after the password form to it as well, and that leads to the destination, wherever it is.
 */
export function pageFields(style: string, sources: string, isIndexed = false): AnswerFields {
  const styleHash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  const fields = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; ${sources}; base-uri 'none'; frame-ancestors 'none'`,
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  return isIndexed ? fields : { ...fields, "X-Robots-Tag": "noindex" };
}

/** The header fields of every page in the look of `layout`. */
export const pageHeaders = pageFields(cardStyle, "img-src 'self' data:");

/** A domain's uploaded logo, as its pages show it. */
export type PageLogo = {
  /** Where this host serves it; another image has another path. */
  path: string;
  /** Said in its place. */
  name: string;
};

/** What a page depends on, besides which it is. */
export type PageContext = {
  /** The visitor's header. */
  acceptLanguage: string | undefined;
  note?: PasswordNote | undefined;
  logo?: PageLogo | null | undefined;
  /** Parameters of the visit, with the "?": the password form sends them again, but for the password. */
  query?: string | undefined;
};

/** Pages kept, of some 3 KiB; twice as many at most. Without logos and queries there are fewer than a hundred. */
const recentPagesMax = 1_000;
const recentPages = new Recent<string, Answer>(recentPagesMax);

/**
 * The answer that shows one of the pages. Made once for all visitors who see the same: a flood of unknown keys costs
 * no page each, and a flood of queries on a password form one form each.
 */
export function pageAnswer(page: PageName, status: number, { acceptLanguage, note, logo, query }: PageContext): Answer {
  const texts = textsFor(acceptLanguage);
  const kept = page === "password" ? keptParameters(query ?? "") : [];
  if (kept.length > 0) return new Answer(status, fieldsOf(texts, note), pageText(page, texts, { note, logo, kept }));
  const name = `${page} ${status} ${texts.language} ${note} ${logo?.path} ${logo?.name}`;
  let answer = recentPages.get(name);
  if (answer === undefined) {
    answer = new Answer(status, fieldsOf(texts, note), pageText(page, texts, { note, logo, kept }));
    recentPages.set(name, answer);
  }
  return answer;
}

const retryAfterSeconds = "60";

function fieldsOf({ language }: PageTexts, note: PasswordNote | undefined): AnswerFields {
  const fields = { ...pageHeaders, ...inLanguage(language) };
  return note === "tooMany" ? { ...fields, "Retry-After": retryAfterSeconds } : fields;
}

/** The fields of a page that exists in other languages too. */
export function inLanguage(language: string): AnswerFields {
  return { "Content-Language": language, Vary: "Accept-Language" };
}

type Parameters = readonly (readonly [name: string, value: string])[];
type Shown = { note: PasswordNote | undefined; logo: PageLogo | null | undefined; kept: Parameters };

function pageText(page: PageName, texts: PageTexts, { note, logo, kept }: Shown): string {
  const { title, text } = texts.pages[page];
  const body = html`${logo ? html`<img class="logo" src="${logo.path}" alt="${logo.name}">` : ""}<h1>${title}</h1><p>${text}</p>
${page === "password" ? passwordForm(texts, note, kept) : ""}`;
  const head = note === undefined ? title : `${texts.mistake}: ${title}`;
  return String(layout(head, body, { language: texts.language }));
}

/** The field has the focus, so that a screen reader reads its label and then what it is described by: the note. */
function passwordForm(texts: PageTexts, note: PasswordNote | undefined, kept: Parameters) {
  const described = note === undefined ? "" : raw(` aria-invalid="true" aria-describedby="note"`);
  return html`<form method="get" class="column">
${note === undefined ? "" : html`<p class="note" id="note" role="alert">${texts.notes[note]}</p>`}
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="pw">${texts.password}</label>
<input type="password" id="pw" name="pw" required autofocus autocomplete="off"${described}>
<button type="submit">${texts.goOn}</button></form>`;
}

/** Parameters a form carries on; nobody has more of them, and each costs a line of the page. */
const keptParametersMax = 50;

/** A form's fields take the place of the address's query, so what the visitor brought is among them. */
function keptParameters(query: string): Parameters {
  if (query.length < 2) return [];
  return [...new URLSearchParams(query)].filter(([name]) => name !== "pw").slice(0, keptParametersMax);
}

/** A whole document in the look of our pages; the icon that browsers would ask for is said to be none. */
export function layout(title: string, body: unknown, { language = "en", head = "" }: Frame = {}) {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,"><style>${cardStyleText}</style>${head}</head>
<body><main>${body}</main></body></html>`;
}

/** English unless `language` says otherwise; `head` adds to the document's head. */
type Frame = { language?: string; head?: unknown };

const cardStyleText = raw(cardStyle);
