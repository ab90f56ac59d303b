import { html } from "hono/html";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { findSignInLink, useSignInLink } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { emailField, formErrorNote, nameField, newPasswordField, readForm, statusOf } from "./form.ts";
import { rejectForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signIn } from "./sign-in.ts";
import { type Markup, type SignInTexts, signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "attempts" | "config" | "db" | "mailer" | "metrics" | "now">;

/** The link of the page: the address of its account; null for one that has none yet. */
type OpenLink = { email: string | null };
/** The submitted values of a form and its error. */
type FormState = { name: string; email: string; problem?: Problem };

/**
 * The page of a one-time link: sets a password, and for a new account name and e-mail address. While passwords are off,
 * links of the command line sign in without one, and mailed ones are closed.
 */
export async function setupForm(app: Deps, token: string, request: Request): Promise<Response> {
  const link = await findOpenLink(app, token);
  return link === undefined ? closedPage(app, request) : linkPage(app, request, link, { name: "", email: "" });
}

async function findOpenLink(app: Deps, token: string) {
  const link = await findSignInLink(app, token);
  if (link === undefined || link.mailedTo === null) return link;
  return hasPasswordSignIn(app.config) ? link : undefined;
}

/** Handles the form and signs the person in. After an error the form is shown again, and the link stays valid. */
export async function submitSetupForm(app: Deps, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  try {
    rejectForeignForm(app, request);
    const link = await findOpenLink(app, token);
    if (link === undefined) return closedPage(app, request);
    const password = hasPasswordSignIn(app.config) ? (form.get("password") ?? "") : null;
    const userId = await useSignInLink(app, token, { ...filled, password }, request.signal);
    if (password !== null && link.hasPassword) {
      mailAccountChange(app, { ...link, id: userId }, { kind: "passwordChanged" });
    }
    return await signIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const link = error.code === "not_found" ? undefined : await findOpenLink(app, token);
    if (link === undefined) return closedPage(app, request);
    return linkPage(app, request, link, { ...filled, problem: error });
  }
}

function linkPage(
  { config }: Deps,
  request: Request,
  { email }: OpenLink,
  { problem, ...filled }: FormState,
): Response {
  const texts = signInTexts(request);
  const { setup, language } = texts;
  const hasPasswords = hasPasswordSignIn(config);
  const { title, text } = headOf(texts, email, config);
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column" novalidate>
${email === null ? nameField(texts, filled.name, problem, true) : ""}
${email === null ? emailField(texts, filled.email, problem) : ""}
${hasPasswords ? newPasswordField(texts, problem) : ""}
<button type="submit">${hasPasswords || email === null ? setup.save : texts.signIn}</button></form>`;
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title, body, status }, { language, theme: themeOf(request) });
}

function headOf(
  { setup, magicLink }: SignInTexts,
  email: string | null,
  config: Config,
): { title: string; text: string | Markup } {
  if (!hasPasswordSignIn(config)) {
    if (email !== null) return { title: magicLink.title, text: magicLink.text(email) };
    return { title: setup.account, text: setup.accountAtProvider(config.WAYPOST_OIDC_NAME) };
  }
  if (email !== null) return { title: setup.newPassword, text: setup.newPasswordText(email) };
  return { title: setup.account, text: setup.accountText };
}

/** The page of an invalid one-time link. */
export function closedPage(
  { config }: Pick<Deps, "config">,
  request: Request,
  status: 403 | 404 | 422 | 503 = 404,
): Response {
  const { setup, language, signIn } = signInTexts(request);
  const hasPasswords = hasPasswordSignIn(config);
  const text = hasPasswords ? setup.closedText : setup.closedAtProvider(config.WAYPOST_OIDC_NAME);
  const body = html`<h1>${setup.closed}</h1><p>${text}</p>
<a class="button" href="/app">${signIn}</a>
${hasPasswords ? html`<p class="aside">${setup.onServer}<code>waypost user password --email you@example.com</code></p>` : ""}`;
  return htmlPage({ title: setup.closed, body, status }, { language, theme: themeOf(request) });
}
