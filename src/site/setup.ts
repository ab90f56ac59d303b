import { html } from "hono/html";
import { emailMax, findSignInLink, useSignInLink } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { enterSignedIn } from "./enter.ts";
import { mistakeIn, newPasswordField, readForm, statusOf } from "./form.ts";
import { refuseForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";

type Shown = { email: string | null };

/** The page on which a person sets a password through a one-time link, and an e-mail address if there is none. */
export async function setupForm(app: App, token: string): Promise<Response> {
  const link = await findSignInLink(app, token);
  return link === undefined ? closedPage() : passwordPage(link, "", undefined, 200);
}

/** Takes the form and signs the person in. On a mistake it is shown again with what is wrong, and the link stays open. */
export async function useSetupForm(app: App, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  const email = form.get("email") ?? "";
  try {
    refuseForeignForm(app, request);
    const userId = await useSignInLink(app, token, email, form.get("password") ?? "");
    return await enterSignedIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const link = error.code === "not_found" ? undefined : await findSignInLink(app, token);
    return link === undefined ? closedPage() : passwordPage(link, email, mistakeIn(error), statusOf(error));
  }
}

function passwordPage({ email }: Shown, filled: string, mistake: string | undefined, status: number): Response {
  const title = email === null ? "Set up your account" : "Set your password";
  const body = html`<h1>${title}</h1>
<p>${email === null ? "E-mail and password are what you sign in with." : html`For <strong>${email}</strong>. Where you are signed in now, you are signed out.`}</p>
${mistake === undefined ? "" : html`<p class="note" role="alert">${mistake}</p>`}
<form method="post" class="column">
${email === null ? emailField(filled) : ""}
${newPasswordField}
<button type="submit">Save and sign in</button></form>`;
  return formPage(title, body, status);
}

function emailField(filled: string) {
  return html`<label>E-mail<input type="email" name="email" value="${filled}" required maxlength="${emailMax}" placeholder="you@example.com" autocomplete="email"></label>`;
}

function closedPage(): Response {
  const body = html`<h1>This link is closed</h1><p>It was used or has expired. If you have a password, <a href="/app">sign
in</a>. On the server, <code>waypost user password --email you@example.com</code> sets a new one.</p>`;
  return htmlPage("This link is closed", body, 404);
}
