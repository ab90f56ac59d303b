import { html } from "hono/html";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { mailSignUpLink, readSignUpToken, requireEmailAddress, signUp, signUpMode } from "../access/sign-up.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { emailField, formErrorNote, nameField, newPasswordField, readForm, statusOf } from "./form.ts";
import { rejectForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signIn } from "./sign-in.ts";
import { signInMethodsOf } from "./sign-in-methods.ts";
import { type Markup, pageLanguage, signInTexts } from "./sign-in-texts.ts";
import { signUpTexts } from "./sign-up-texts.ts";

type Deps = Pick<App, "attempts" | "config" | "db" | "log" | "mailer" | "metrics" | "now" | "redirects" | "signInSeal">;

/** True while anyone can sign up with a password. */
function isOpen({ config }: Pick<Deps, "config">): boolean {
  return signUpMode(config) === "open" && hasPasswordSignIn(config);
}

/** The page on which a person requests a link to create an account, or reads why they cannot. */
export function signUpForm(app: Deps, request: Request): Response {
  if (!isOpen(app)) return closedPage(app, request, 200);
  return requestPage(request, { email: "" });
}

/**
 * Mails the link. Answers before the mail is sent: neither the response nor its time reveals whether the address has an
 * account.
 */
export async function submitSignUpForm(app: Deps, request: Request, peer: string): Promise<Response> {
  const form = await readForm(request);
  const typed = form.get("email") ?? "";
  if (!isOpen(app)) return closedPage(app, request, 403);
  try {
    rejectForeignForm(app, request);
    const email = requireEmailAddress(typed);
    app.attempts.signUp.take({ address: clientAddress(app, request, peer), account: email });
    const { db, now, mailer, signInSeal: seal, config } = app;
    app.metrics.signUps.inc({ step: "requested" });
    const language = pageLanguage(request);
    mailSignUpLink({ db, now, mailer, seal, appUrl: config.WAYPOST_URL }, { email, language }).catch((error: unknown) =>
      app.log.error("The link to complete signing up could not be mailed.", { error }),
    );
    const texts = signUpTexts(request);
    return page(request, { title: texts.title, content: html`<p>${texts.sent(email)}</p>`, status: 200 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return requestPage(request, { email: typed, problem: error });
  }
}

/** The page of a mailed link, which asks for name and password. */
export function finishSignUpForm(app: Deps, token: string, request: Request): Response {
  if (!isOpen(app)) return closedPage(app, request, 403);
  const email = readSignUpToken({ now: app.now, seal: app.signInSeal }, token);
  return email === undefined ? linkClosedPage(request) : finishPage(request, { email, name: "" });
}

/** Creates the account and signs the person in. After an error the form is shown again. */
export async function submitFinishSignUpForm(
  app: Deps,
  token: string,
  request: Request,
  peer: string,
): Promise<Response> {
  const form = await readForm(request);
  const name = form.get("name") ?? "";
  const { db, now, signInSeal: seal, attempts } = app;
  if (!isOpen(app)) return closedPage(app, request, 403);
  try {
    rejectForeignForm(app, request);
    const address = clientAddress(app, request, peer);
    const deps = { db, now, seal, limits: attempts.join, signal: request.signal };
    const userId = await signUp(deps, token, { name, password: form.get("password") ?? "", address });
    app.metrics.signUps.inc({ step: "created" });
    return await signIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const email = readSignUpToken({ now, seal }, token);
    if (email === undefined || error.code === "conflict") return linkClosedPage(request);
    return finishPage(request, { email, name, problem: error });
  }
}

function requestPage(request: Request, { email, problem }: { email: string; problem?: Problem }): Response {
  const [texts, shared] = [signUpTexts(request), signInTexts(request)];
  const content = html`<p>${texts.about}</p>
${problem === undefined ? "" : formErrorNote(shared, problem)}
<form method="post" class="column" novalidate>
${emailField(shared, email, problem)}
<button type="submit">${texts.send}</button></form>
<p class="aside">${texts.haveAccount} <a href="/app/sign-in">${shared.signIn}</a></p>`;
  return page(request, { title: texts.title, content, status: problem === undefined ? 200 : statusOf(problem) });
}

type Finishing = { email: string; name: string; problem?: Problem };

function finishPage(request: Request, { email, name, problem }: Finishing): Response {
  const [texts, shared] = [signUpTexts(request), signInTexts(request)];
  const content = html`<p>${texts.finish(email)}</p>
${problem === undefined ? "" : formErrorNote(shared, problem)}
<form method="post" class="column" novalidate>
${nameField(shared, name, problem, true)}
${newPasswordField(shared, problem)}
<button type="submit">${texts.create}</button></form>`;
  return page(request, { title: texts.finishTitle, content, status: problem === undefined ? 200 : statusOf(problem) });
}

function linkClosedPage(request: Request): Response {
  const [texts, { signIn, language }] = [signUpTexts(request), signInTexts(request)];
  const body = html`<h1>${texts.linkClosed}</h1><p>${texts.linkClosedText}</p>
<a class="button" href="/app/sign-in">${signIn}</a>
<p class="aside"><a href="/app/sign-up">${texts.again}</a></p>`;
  return htmlPage({ title: texts.linkClosed, body, status: 404 }, { language, theme: themeOf(request) });
}

function closedPage({ config }: Pick<Deps, "config">, request: Request, status: 200 | 403): Response {
  const [texts, { signIn, continueWith }] = [signUpTexts(request), signInTexts(request)];
  const { signUp: way, provider } = signInMethodsOf(config);
  if (way === "provider" && provider !== null) {
    const content = html`<p>${texts.withProvider(provider)}</p>
<a class="button" href="/app/oidc">${continueWith(provider)}</a>`;
    return page(request, { title: texts.title, content, status });
  }
  const isClosed = way === "closed";
  const content = html`<p>${texts.closedText[isClosed ? "closed" : "invite"]}</p>
<a class="button" href="/app/sign-in">${signIn}</a>`;
  return page(request, { title: isClosed ? texts.title : texts.closedTitle, content, status });
}

type Shown = { title: string; content: Markup; status: 200 | 403 | 422 | 503 };

function page(request: Request, { title, content, status }: Shown): Response {
  const { language } = signInTexts(request);
  return formPage({ title, body: html`<h1>${title}</h1>\n${content}`, status }, { language, theme: themeOf(request) });
}
