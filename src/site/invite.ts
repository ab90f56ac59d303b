import { html } from "hono/html";
import { acceptInvite, findOpenInvite } from "../access/invites.ts";
import { joinByInvite } from "../access/join-by-invite.ts";
import { emailMax, findUser, type User } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { enter, enterSignedIn } from "./enter.ts";
import { mistakeIn, newPasswordField, readForm, statusOf } from "./form.ts";
import { isOwnOrigin, refuseForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { signedIn } from "./session-cookie.ts";

type Shown = { workspace: string; email: string | null };
type Filled = { name: string; email: string };
/** What a form came back for, and its status. */
type Outcome = { mistake?: string; status: number };

/** The page on which a person takes an invite: as who is signed in, with an account or without one. */
export async function inviteForm(app: App, token: string, request: Request): Promise<Response> {
  return await openPage(app, token, request, { name: "", email: "" }, { status: 200 });
}

/** Takes the form and signs the person in. On a mistake it is shown again with what is wrong, and the invite stays open. */
export async function useInviteForm(app: App, token: string, request: Request, peer: string): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  try {
    refuseForeignForm(app, request);
    if (form.get("as") === "me") return await acceptAsMe(app, token, request);
    const userId = await joinByInvite(app, token, {
      ...filled,
      password: form.get("password") ?? "",
      address: clientAddress(app, request, peer),
    });
    return await enterSignedIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return closedPage();
    return await openPage(app, token, request, filled, { mistake: mistakeIn(error), status: statusOf(error) });
  }
}

/** By the session alone, and so only where the browser says that the form is ours. */
async function acceptAsMe(app: App, token: string, request: Request): Promise<Response> {
  const me = isOwnOrigin(app, request) ? await signedIn(app, request) : undefined;
  if (me === undefined) {
    throw new Problem(
      "unauthorized",
      "You are not signed in any more. Join with the e-mail and password of your account.",
    );
  }
  await acceptInvite(app, me, token);
  return enter();
}

async function openPage(
  app: App,
  token: string,
  request: Request,
  filled: Filled,
  outcome: Outcome,
): Promise<Response> {
  const invite = await findOpenInvite(app, token);
  if (invite === undefined) return closedPage();
  const session = await signedIn(app, request);
  const me = session === undefined ? undefined : await findUser(app, session.userId);
  // For another address than theirs, an invite can be taken only by who has that one.
  if (me !== undefined && (invite.email ?? me.email) === me.email) return joinAsMePage(invite, me, outcome);
  return joinPage(invite, filled, outcome);
}

function joinAsMePage({ workspace }: Shown, { name, email }: User, { mistake, status }: Outcome): Response {
  const body = html`<h1>Join ${workspace}</h1>
<p>You are signed in as <strong>${email ?? name}</strong>.</p>
${note(mistake)}
<form method="post" class="column"><input type="hidden" name="as" value="me">
<button type="submit">Join</button></form>`;
  return formPage(`Join ${workspace}`, body, status);
}

function joinPage({ workspace, email }: Shown, filled: Filled, { mistake, status }: Outcome): Response {
  const body = html`<h1>Join ${workspace}</h1>
<p>With a new account, or with the e-mail and password of yours.</p>
${note(mistake)}
<form method="post" class="column">
<label>Your name<input name="name" value="${filled.name}" maxlength="${workspaceNameMax}" autocomplete="name"></label>
${email === null ? emailField(filled.email) : html`<p>The invite is for <strong>${email}</strong> alone.</p>`}
${newPasswordField}
<button type="submit">Join</button></form>`;
  return formPage(`Join ${workspace}`, body, status);
}

function note(mistake: string | undefined) {
  return mistake === undefined ? "" : html`<p class="note" role="alert">${mistake}</p>`;
}

function emailField(filled: string) {
  return html`<label>E-mail<input type="email" name="email" value="${filled}" required maxlength="${emailMax}" placeholder="you@example.com" autocomplete="email"></label>`;
}

function closedPage(): Response {
  const body = html`<h1>This invite is closed</h1><p>It was used, revoked or has expired. Ask for another one, or
<a href="/app">sign in</a>.</p>`;
  return htmlPage("This invite is closed", body, 404);
}
