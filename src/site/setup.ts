import { html } from "hono/html";
import { isSignInLinkOpen, passwordMax, passwordMin, useSignInLink } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { mistakeIn, readForm } from "./form.ts";
import { htmlPage } from "./page.ts";

/** The page on which a person sets e-mail and password through a one-time link. */
export async function setupForm(app: App, token: string): Promise<Response> {
  if (!(await isSignInLinkOpen(app, token))) return closedPage();
  return formPage(undefined, "", 200);
}

/** Takes the form. On a mistake it is shown again with what is wrong, and the link stays open. */
export async function useSetupForm(app: App, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  const email = form.get("email") ?? "";
  try {
    await useSignInLink(app, token, email, form.get("password") ?? "");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return closedPage();
    return formPage(mistakeIn(error), email, error.code === "unavailable" ? 503 : 422);
  }
  return htmlPage(
    "You are all set",
    html`<h1>You are all set</h1><p>${email} can sign in with this password, once the dashboard
has come in a later version. Until then, use the API: <a href="/docs">the reference</a>.</p>`,
    200,
  );
}

function formPage(mistake: string | undefined, email: string, status: 200 | 422 | 503): Response {
  const body = html`<h1>Set up your account</h1>
<p>E-mail and password for the dashboard, which comes in a later version. The API works with keys alone.</p>
${mistake === undefined ? "" : html`<p class="note" role="alert">${mistake}</p>`}
<form method="post" class="column">
<label>E-mail<input type="email" name="email" value="${email}" required maxlength="254" placeholder="you@example.com" autocomplete="email"></label>
<label>Password<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" autocomplete="new-password"></label>
<button type="submit">Save</button></form>`;
  return htmlPage("Set up your account", body, status);
}

function closedPage(): Response {
  const body = html`<h1>This link is closed</h1><p>It was used or has expired. On the server, <code>waypost user password
--email you@example.com</code> sets a password.</p>`;
  return htmlPage("This link is closed", body, 404);
}
