import { html, raw } from "hono/html";
import { LruCache } from "../base/lru-cache.ts";
import { type Answer, type AnswerFields, answerOf } from "./answer.ts";
import type { PageName } from "./decision.ts";
import type { PageLogo } from "./lookup.ts";
import { cardStyle } from "./page-style.ts";
import { type PageTexts, textsFor } from "./page-texts.ts";
import type { PasswordError } from "./password-check.ts";

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

/** What a page depends on, besides which it is. */
export type PageContext = {
  /** The visitor's header. */
  acceptLanguage: string | undefined;
  passwordError?: PasswordError | undefined;
  logo?: PageLogo | null | undefined;
};

/** Pages kept, of some 3 KiB; twice as many at most. Without logos there are fewer than a hundred. */
const recentPagesMax = 1_000;
const recentPages = new LruCache<string, Answer>(recentPagesMax);

/** The answer that shows one of the pages. Made once for all who see the same: a flood of unknown keys makes no page. */
export function pageAnswer(
  page: PageName,
  status: number,
  { acceptLanguage, passwordError, logo }: PageContext,
): Answer {
  const texts = textsFor(acceptLanguage);
  const name = `${page} ${status} ${texts.language} ${passwordError} ${logo?.path} ${logo?.name}`;
  let answer = recentPages.get(name);
  if (answer === undefined) {
    const retryAfter = retryAfterOf(page, passwordError);
    const fields = { ...pageHeaders, ...languageFields(texts.language) };
    answer = answerOf(
      status,
      retryAfter === undefined ? fields : { ...fields, "Retry-After": retryAfter },
      pageText(page, texts, { passwordError, logo }),
    );
    recentPages.set(name, answer);
  }
  return answer;
}

/** The seconds after which a visitor may try again, where the page asks for that. */
function retryAfterOf(page: PageName, passwordError: PasswordError | undefined): string | undefined {
  if (passwordError === "tooMany") return manyAttemptsSeconds;
  return passwordError === "busy" || page === "unavailable" ? outageSeconds : undefined;
}

const manyAttemptsSeconds = "60";
const outageSeconds = "1";

/** The fields of a page that exists in other languages too. */
export function languageFields(language: string): AnswerFields {
  return { "Content-Language": language, Vary: "Accept-Language" };
}

type Shown = Pick<PageContext, "passwordError" | "logo">;

function pageText(page: PageName, texts: PageTexts, { passwordError, logo }: Shown): string {
  const { title, text } = texts.pages[page];
  const body = html`${logo ? html`<img class="logo" src="${logo.path}" alt="${logo.name}">` : ""}<h1>${title}</h1><p>${text}</p>
${page === "password" ? passwordForm(texts, passwordError) : ""}`;
  const head = passwordError === undefined ? title : `${texts.mistake}: ${title}`;
  return String(layout(head, body, { language: texts.language }));
}

/**
 * Sent in a body and not in a query, which stands in histories and logs; the address with the visit's own parameters
 * stays. The field has the focus, so that a screen reader reads its label and then what it is described by: the note.
 */
function passwordForm(texts: PageTexts, passwordError: PasswordError | undefined) {
  const described = passwordError === undefined ? "" : raw(` aria-invalid="true" aria-describedby="note"`);
  return html`<form method="post" class="column">
${passwordError === undefined ? "" : html`<p class="note" id="note" role="alert">${texts.passwordErrors[passwordError]}</p>`}
<label for="pw">${texts.password}</label>
<input type="password" id="pw" name="pw" required autofocus autocomplete="off"${described}>
<button type="submit">${texts.goOn}</button></form>`;
}

/** A whole document in the look of our pages. */
export function layout(title: string, body: unknown, { language = "en", head = "" }: Frame = {}) {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="${noIcon}"><style>${cardStyleText}</style>${head}</head>
<body><main>${body}</main></body></html>`;
}

/** Without it, browsers would ask a short domain for one, as if that were a link. */
export const noIcon = "data:,";

/** English unless `language` says otherwise; `head` adds to the document's head. */
type Frame = { language?: string; head?: unknown };

const cardStyleText = raw(cardStyle);
