import { html } from "hono/html";
import { findOpenInvite } from "../access/invites.ts";
import { joinByInvite } from "../access/join-by-invite.ts";
import { emailMax, passwordMax, passwordMin } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { mistakeIn, readForm } from "./form.ts";
import { htmlPage } from "./page.ts";

type Shown = { workspace: string; email: string | null };

/** The page on which a person takes an invite, with an account or without one. */
export async function inviteForm(app: App, token: string): Promise<Response> {
  const invite = await findOpenInvite(app, token);
  return invite === undefined ? closedPage() : formPage(invite, { name: "", email: "" }, undefined, 200);
}

/** Takes the form. On a mistake it is shown again with what is wrong, and the invite stays open. */
export async function useInviteForm(app: App, token: string, request: Request): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  try {
    const { name } = await joinByInvite(app, token, { ...filled, password: form.get("password") ?? "" });
    return htmlPage("Welcome", welcome(name), 200);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const invite = error.code === "not_found" ? undefined : await findOpenInvite(app, token);
    if (invite === undefined) return closedPage();
    return formPage(invite, filled, mistakeIn(error), error.code === "unavailable" ? 503 : 422);
  }
}

function formPage(
  { workspace, email }: Shown,
  filled: { name: string; email: string },
  mistake: string | undefined,
  status: 200 | 422 | 503,
): Response {
  const body = html`<h1>Join ${workspace}</h1>
<p>With a new account, or with the e-mail and password of yours.</p>
${mistake === undefined ? "" : html`<p class="note" role="alert">${mistake}</p>`}
<form method="post" class="column">
<label>Your name<input name="name" value="${filled.name}" maxlength="${workspaceNameMax}" autocomplete="name"></label>
${email === null ? emailField(filled.email) : html`<p>The invite is for <strong>${email}</strong> alone.</p>`}
<label>Password<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" autocomplete="new-password"></label>
<button type="submit">Join</button></form>`;
  return htmlPage(`Join ${workspace}`, body, status);
}

function emailField(filled: string) {
  return html`<label>E-mail<input type="email" name="email" value="${filled}" required maxlength="${emailMax}" placeholder="you@example.com" autocomplete="email"></label>`;
}

function welcome(workspace: string) {
  return html`<h1>Welcome</h1><p>You are a member of ${workspace}.</p>
<p>Links are made through the API, for which you need an API key. Ask whoever runs this server for your first one; they
make it with <code>waypost key create</code>. How to go on is in <a href="/docs">the reference</a>. A dashboard to sign
in to comes later.</p>`;
}

function closedPage(): Response {
  const body = html`<h1>This invite is closed</h1><p>It was used, revoked or has expired. Ask for another one.</p>`;
  return htmlPage("This invite is closed", body, 404);
}
