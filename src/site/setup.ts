import { html } from "hono/html";
import { findSignInLink, useSignInLink } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { emailField, formErrorNote, nameField, newPasswordField, readForm, statusOf } from "./form.ts";
import { rejectForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signIn } from "./sign-in.ts";
import { signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "config" | "db" | "metrics" | "now">;

type Shown = { email: string | null };
/** The submitted values of a form and its error. */
type FormState = { name: string; email: string; problem?: Problem };

/** The page of a one-time link: sets a password, and for a new account name and e-mail address. */
export async function setupForm(app: Deps, token: string, request: Request): Promise<Response> {
  const link = await findSignInLink(app, token);
  return link === undefined ? closedPage(request) : passwordPage(request, link, { name: "", email: "" });
}

/** Handles the form and signs the person in. After an error the form is shown again, and the link stays valid. */
export async function submitSetupForm(app: Deps, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  try {
    rejectForeignForm(app, request);
    const userId = await useSignInLink(app, token, { ...filled, password: form.get("password") ?? "" }, request.signal);
    return await signIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const link = error.code === "not_found" ? undefined : await findSignInLink(app, token);
    return link === undefined ? closedPage(request) : passwordPage(request, link, { ...filled, problem: error });
  }
}

function passwordPage(request: Request, { email }: Shown, { problem, ...filled }: FormState): Response {
  const texts = signInTexts(request);
  const { setup, language } = texts;
  const title = email === null ? setup.account : setup.newPassword;
  const body = html`<h1>${title}</h1>
<p>${email === null ? setup.accountText : setup.newPasswordText(email)}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column">
${email === null ? nameField(texts, filled.name, problem, true) : ""}
${email === null ? emailField(texts, filled.email, problem) : ""}
${newPasswordField(texts, problem)}
<button type="submit">${setup.save}</button></form>`;
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title, body, status }, { language, theme: themeOf(request) });
}

/** The page of an invalid one-time link. */
export function closedPage(request: Request, status: 403 | 404 | 422 | 503 = 404): Response {
  const { setup, language, signIn } = signInTexts(request);
  const body = html`<h1>${setup.closed}</h1><p>${setup.closedText}</p>
<a class="button" href="/app">${signIn}</a>
<p class="aside">${setup.onServer}<code>waypost user password --email you@example.com</code></p>`;
  return htmlPage({ title: setup.closed, body, status }, { language, theme: themeOf(request) });
}
