import { html, raw } from "hono/html";
import { LruCache } from "../base/lru-cache.ts";
import { type Answer, type AnswerFields, answerOf } from "./answer.ts";
import type { PageName } from "./decision.ts";
import type { PageLogo } from "./lookup.ts";
import { cardStyle } from "./page-style.ts";
import { type PageTexts, textsFor } from "./page-texts.ts";
import type { PasswordError } from "./password-check.ts";

/**
 * The header fields of a page for visitors, whose only style is `style`. They allow no script, no external request and
 * no framing; `sources` names what else the page may load. No form-action: browsers would apply it to the redirect
 * after the password form, which may go anywhere.
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

/** The header fields of every page made by `layout`. */
const pageHeaders = pageFields(cardStyle, "img-src 'self' data:");

/** What a page depends on besides its name. */
type PageContext = {
  /** The visitor's Accept-Language header. */
  acceptLanguage: string | undefined;
  passwordError?: PasswordError | undefined;
  logo?: PageLogo | null | undefined;
};

/** Cached pages, of about 3 KiB each; at most twice as many. Without logos there are fewer than a hundred. */
const recentPagesMax = 1_000;
const recentPages = new LruCache<string, Answer>(recentPagesMax);

/** The answer with a page. Cached, so that a flood of unknown keys renders no page. */
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

/** The Retry-After value of pages that ask to try again. */
function retryAfterOf(page: PageName, passwordError: PasswordError | undefined): string | undefined {
  if (passwordError === "tooMany") return manyAttemptsSeconds;
  return passwordError === "busy" || page === "unavailable" ? outageSeconds : undefined;
}

const manyAttemptsSeconds = "60";
const outageSeconds = "1";

/** The header fields of a page that exists in several languages. */
export function languageFields(language: string): AnswerFields {
  return { "Content-Language": language, Vary: "Accept-Language" };
}

type Shown = Pick<PageContext, "passwordError" | "logo">;

function pageText(page: PageName, texts: PageTexts, { passwordError, logo }: Shown): string {
  const { title, text } = texts.pages[page];
  const body = html`${logo ? html`<img class="logo" src="${logo.path}" alt="${logo.name}">` : ""}<h1>${title}</h1><p>${text}</p>
${page === "password" ? passwordForm(texts, passwordError) : ""}`;
  const head = passwordError === undefined ? title : `${texts.error}: ${title}`;
  return String(layout(head, body, { language: texts.language }));
}

/**
 * The form posts the password in the body, since queries end up in histories and logs; the page's URL keeps the visit's
 * own parameters. The field has the focus, so that a screen reader reads its label and then its description: the error.
 */
function passwordForm(texts: PageTexts, passwordError: PasswordError | undefined) {
  const described = passwordError === undefined ? "" : raw(` aria-invalid="true" aria-describedby="note"`);
  return html`<form method="post" class="column">
${passwordError === undefined ? "" : html`<p class="note" id="note" role="alert">${texts.passwordErrors[passwordError]}</p>`}
<label for="pw">${texts.password}</label>
<input type="password" id="pw" name="pw" required autofocus autocomplete="off"${described}>
<button type="submit">${texts.proceed}</button></form>`;
}

/** A complete document in the style of the pages for visitors. */
export function layout(title: string, body: unknown, { language = "en", head = "" }: Frame = {}) {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="${noIcon}"><style>${cardStyleText}</style>${head}</head>
<body><main>${body}</main></body></html>`;
}

/** An empty icon: without one, browsers would request /favicon.ico, which would be taken for a link. */
export const noIcon = "data:,";

/** Default language: English. `head` adds to the document's head. */
type Frame = { language?: string; head?: unknown };

const cardStyleText = raw(cardStyle);
