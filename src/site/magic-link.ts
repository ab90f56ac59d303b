import { z } from "@hono/zod-openapi";
import { html } from "hono/html";
import { findMagicLink, mailMagicLink, newBrowserToken, useMagicLink } from "../access/magic-links.ts";
import { codeCharactersMax, useOneTimeCode } from "../access/one-time-codes.ts";
import { hasPasswordSignIn, refuseWithoutPasswords } from "../access/password-sign-in.ts";
import { normalizeEmail } from "../access/users.ts";
import { bodyLimits, readJson } from "../api/http/json-body.ts";
import { parse } from "../api/http/prepare.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { counted } from "./counted-sign-in.ts";
import { readForm, statusOf } from "./form.ts";
import { requireOwnOrigin } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { nextCharactersMax, returnPath } from "./return-path.ts";
import type { SessionAnswer, SessionRequest } from "./session-answer.ts";
import { linkCookie, linkCookieHeader } from "./session-cookie.ts";
import { startSession } from "./sign-in.ts";
import { type Markup, pageLanguage, type SignInTexts, signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "attempts" | "config" | "db" | "log" | "mailer" | "metrics" | "now" | "redirects" | "signInSeal">;

const MagicLinkRequest = z.object({ email: z.string(), next: z.string().max(nextCharactersMax).optional() });

/**
 * Mails a link that signs in, and sets the cookie of the browser that requests it. Answers before it looks for the
 * account, so that neither the answer nor its time reveals whether one exists; see resetPassword.
 */
export async function requestMagicLink(app: Deps, { request, peer }: SessionRequest): Promise<SessionAnswer> {
  const { email, next } = parse(MagicLinkRequest, (await readJson(request, bodyLimits.public)).value);
  const { db, now, mailer, log, config, attempts } = app;
  refuseWithoutPasswords(config);
  if (!mailer.hasServer) throw new Problem("unprocessable_entity", "This service does not send e-mail.");
  attempts.magicLink.take({
    address: clientAddress(app, request, peer),
    account: normalizeEmail(email) ?? email,
  });
  const browser = newBrowserToken();
  const link = { email, language: pageLanguage(request), browser, next };
  mailMagicLink({ db, now, mailer, appUrl: config.WAYPOST_URL }, link).catch((error: unknown) =>
    log.error("The link to sign in could not be created.", { error }),
  );
  return { status: 202, content: { kind: "none" }, headers: {}, cookie: linkCookieHeader(app, browser) };
}

/** Signs the person in and redirects to the requested page. After a wrong code, the link stays valid. */
export async function submitMagicLinkForm(app: Deps, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  try {
    requireOwnOrigin(app, request);
    const link = await findOpenLink(app, token, request);
    if (link === undefined) return closedPage(app, request);
    const { userId, needsCode, method } = link;
    if (needsCode) {
      const codes = { db: app.db, now: app.now, seal: app.signInSeal, limits: app.attempts.secondFactor };
      await useOneTimeCode(codes, userId, (form.get("code") ?? "").slice(0, codeCharactersMax));
    }
    await useMagicLink(app, token);
    const next = returnPath(new URL(request.url).searchParams.get("next"));
    return await startSession(app, request, { userId, method, hasSecondFactor: needsCode, next });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    counted(app, error);
    return await magicLinkForm(app, token, request, error);
  }
}

/**
 * The page of a magic link: a button that signs in, and a field for a code if the person needs one. `problem` is the
 * error of a submitted form.
 */
export async function magicLinkForm(app: Deps, token: string, request: Request, problem?: Problem): Promise<Response> {
  const link = await findOpenLink(app, token, request);
  if (link === undefined) return closedPage(app, request);
  const texts = signInTexts(request);
  const { magicLink, language, signIn } = texts;
  const body = html`<h1>${magicLink.title}</h1><p>${magicLink.text(link.email)}</p>
${link.isSameBrowser ? "" : html`<p>${magicLink.otherBrowser}</p>`}
${link.verifiesAddress ? html`<p>${magicLink.verifies}</p>` : ""}
${problem === undefined ? "" : errorNote(texts, problem)}
<form method="post" class="column">
${link.needsCode ? codeField(texts, problem?.code === "unauthorized") : ""}
<button type="submit">${signIn}</button></form>`;
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title: magicLink.title, body, status }, { language, theme: themeOf(request) });
}

/** While passwords are off, mailed links are closed. */
async function findOpenLink(app: Deps, token: string, request: Request) {
  const link = await findMagicLink(app, token, linkCookie(request));
  return link?.method === "provider" || hasPasswordSignIn(app.config) ? link : undefined;
}

function codeField({ magicLink }: SignInTexts, isWrong: boolean): Markup {
  const state = isWrong
    ? html` aria-invalid="true" aria-describedby="error code-hint"`
    : html` aria-describedby="code-hint"`;
  return html`<label>${magicLink.code}<input name="code" required autofocus maxlength="${codeCharactersMax}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"${state}></label>
<small id="code-hint">${magicLink.codeHint}</small>`;
}

/** The error above the form: in the page's language, except for rare ones. */
function errorNote({ magicLink, formErrors }: SignInTexts, { code, message }: Problem): Markup {
  const translations: Partial<Record<typeof code, string>> = {
    unauthorized: magicLink.wrongCode,
    rate_limit_exceeded: formErrors.tooManyAttempts,
    unavailable: formErrors.busy,
  };
  const text = translations[code];
  return text === undefined
    ? html`<p class="note" id="error" role="alert" lang="en">${message}</p>`
    : html`<p class="note" id="error" role="alert">${text}</p>`;
}

function closedPage({ config }: Deps, request: Request): Response {
  const { setup, magicLink, language, signIn } = signInTexts(request);
  const text = hasPasswordSignIn(config) ? magicLink.closedText : setup.closedAtProvider(config.WAYPOST_OIDC_NAME);
  const body = html`<h1>${setup.closed}</h1><p>${text}</p>
<a class="button" href="/app/sign-in">${signIn}</a>`;
  return htmlPage({ title: setup.closed, body, status: 404 }, { language, theme: themeOf(request) });
}
