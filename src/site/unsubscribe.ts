import { html } from "hono/html";
import type { App } from "../app.ts";
import { findByUnsubscribeToken, unsubscribe } from "../notifications/unsubscribe.ts";
import { htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signInTexts } from "./sign-in-texts.ts";
import { type UnsubscribeTexts, unsubscribeTexts } from "./unsubscribe-texts.ts";

type Deps = Pick<App, "db" | "now">;

/** The page behind the link in a mail: a button that ends the notification. It needs no sign-in and changes nothing. */
export async function unsubscribeForm(app: Deps, token: string, request: Request): Promise<Response> {
  const state = await findByUnsubscribeToken(app, token);
  const { title, text, save, kinds } = textsFor(request);
  switch (state.kind) {
    case "invalid":
      return invalidPage(request);
    case "ended":
      return donePage(request);
    case "open": {
      const body = html`<h1>${title}</h1><p>${text(kinds[state.about])}</p>
<form method="post" class="column"><button type="submit">${save}</button></form>`;
      return page(request, { title, body, status: 200 });
    }
  }
}

/**
 * Ends the notification, for the button and for mail programs (RFC 8058). Any origin may send it, since the token is the
 * permission; the body is not read.
 */
export async function submitUnsubscribeForm(app: Deps, token: string, request: Request): Promise<Response> {
  return (await unsubscribe(app, token)) ? donePage(request) : invalidPage(request);
}

function donePage(request: Request): Response {
  const { done, doneText } = textsFor(request);
  return page(request, { title: done, body: withDashboardLink(request, done, doneText), status: 200 });
}

function invalidPage(request: Request): Response {
  const { invalid, invalidText } = textsFor(request);
  return page(request, { title: invalid, body: withDashboardLink(request, invalid, invalidText), status: 404 });
}

function withDashboardLink(request: Request, title: string, text: string) {
  return html`<h1>${title}</h1><p>${text}</p><a class="button" href="/app">${signInTexts(request).toDashboard}</a>`;
}

function page(request: Request, shown: Parameters<typeof htmlPage>[0]): Response {
  return htmlPage(shown, { language: signInTexts(request).language, theme: themeOf(request) });
}

function textsFor(request: Request): UnsubscribeTexts {
  const texts = unsubscribeTexts[signInTexts(request).language];
  if (texts === undefined) throw new Error(`The unsubscribe page has no texts for ${signInTexts(request).language}.`);
  return texts;
}
