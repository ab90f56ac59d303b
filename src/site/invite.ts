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
    return htmlPage("Welcome", html`<h1>Welcome</h1><p>You are a member of ${name}.</p>`, 200);
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
<input name="name" value="${filled.name}" maxlength="${workspaceNameMax}" placeholder="Your name" aria-label="Your name" autocomplete="name">
<input type="email" name="email" value="${email ?? filled.email}" ${email === null ? "" : "readonly"} required maxlength="${emailMax}" placeholder="you@example.com" aria-label="E-mail" autocomplete="email">
<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" placeholder="Password" aria-label="Password" autocomplete="new-password">
<button type="submit">Join</button></form>`;
  return htmlPage(`Join ${workspace}`, body, status);
}

function closedPage(): Response {
  const body = html`<h1>This invite is closed</h1><p>It was used, revoked or has expired. Ask for another one.</p>`;
  return htmlPage("This invite is closed", body, 404);
}
