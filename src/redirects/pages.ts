import { html, raw } from "hono/html";
import { Answer } from "./answer.ts";
import type { PageName } from "./destination.ts";

/** TABLE of the pages' texts. */
const texts: Record<PageName, { title: string; text: string }> = {
  password: { title: "This link is protected", text: "Enter the password to go on." },
  expired: { title: "This link has expired", text: "It no longer leads anywhere." },
  notStarted: { title: "This link is not open yet", text: "Come back later." },
  disabled: { title: "This link is switched off", text: "It no longer leads anywhere." },
  notFound: { title: "This link does not exist", text: "Check that the address is written in full and without slips." },
  unverified: { title: "This domain is not set up yet", text: "Its owner has still to prove that it is theirs." },
};

/** Shown on the password page when a password did not fit, or there were too many. */
export type PasswordNote = "wrong" | "tooMany";
const notes: Record<PasswordNote, string> = {
  wrong: "That password does not fit.",
  tooMany: "Too many attempts. Try again in a minute.",
};

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;
place-items:center;background:Canvas;color:CanvasText}main{max-width:26rem;padding:2rem;text-align:center}
h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:0 0 1.5rem;opacity:.75}form{display:flex;gap:.5rem}form.column{flex-direction:column}
input,button{font:inherit;padding:.5rem .75rem;border:1px solid GrayText;border-radius:.5rem}input{flex:1;min-width:0}
form.column{text-align:left}label{display:grid;gap:.25rem;margin:0 0 .5rem}::placeholder{color:inherit;opacity:.7}
.note{color:#b23b0a;opacity:1}@media (prefers-color-scheme:dark){.note{color:#fdba74}}`;

const styleHash = new Bun.CryptoHasher("sha256").update(style).digest("base64");

/**
 * No script, no outside request, no framing; only the page's own style. Nothing on form-action: browsers hold the
 * redirect after the password form to it as well, and that leads to the destination, wherever it is.
 */
const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

/** The headers of every page of ours that a visitor can meet. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": contentSecurityPolicy,
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** By page, status and note, of which there are few: a flood of unknown keys costs no page each. */
const answers = new Map<string, Answer>();

/** The answer that shows one of the pages. */
export function pageAnswer(page: PageName, status: number, note?: PasswordNote): Answer {
  const name = `${page} ${status} ${note}`;
  let answer = answers.get(name);
  if (answer === undefined) {
    answer = new Answer(status, pageHeaders, pageText(page, note));
    answers.set(name, answer);
  }
  return answer;
}

function pageText(page: PageName, note: PasswordNote | undefined): string {
  const { title, text } = texts[page];
  const body = layout(
    title,
    html`<h1>${title}</h1><p>${text}</p>
${note === undefined ? "" : html`<p class="note" role="alert">${notes[note]}</p>`}
${page === "password" ? passwordForm : ""}`,
  );
  return String(body);
}

/** A whole document in the look of our pages. */
export function layout(title: string, body: unknown) {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${styleText}</style></head>
<body><main>${body}</main></body></html>`;
}

const styleText = raw(style);

const passwordForm = raw(
  `<form method="get"><input type="password" name="pw" required autofocus aria-label="Password">` +
    `<button type="submit">Go on</button></form>`,
);
