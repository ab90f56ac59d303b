import { html } from "hono/html";
import { acceptInvite, findOpenInvite } from "../access/invites.ts";
import { joinByInvite } from "../access/join-by-invite.ts";
import { findUser, type User } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { enter, enterSignedIn } from "./enter.ts";
import { entranceTexts, type Markup } from "./entrance-texts.ts";
import { emailField, mistakeNote, nameField, newPasswordField, readForm, statusOf } from "./form.ts";
import { keptTheme } from "./kept-look.ts";
import { isOwnOrigin, refuseForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { signedIn } from "./session-cookie.ts";

type Shown = { workspace: string; email: string | null };
/** What was typed into a form that came back, and why it did. */
type Outcome = { name: string; email: string; problem?: Problem };

/** The page on which a person takes an invite: as who is signed in, with an account or without one. */
export async function inviteForm(app: App, token: string, request: Request): Promise<Response> {
  return await openPage(app, token, request, { name: "", email: "" });
}

/** Takes the form and signs the person in. On a mistake it is shown again with what is wrong, and the invite stays open. */
export async function useInviteForm(app: App, token: string, request: Request, peer: string): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  try {
    refuseForeignForm(app, request);
    if (form.get("as") === "me") return await acceptAsMe(app, token, request);
    const userId = await joinByInvite({ ...app, signal: request.signal }, token, {
      ...filled,
      password: form.get("password") ?? "",
      address: clientAddress(app, request, peer),
    });
    return await enterSignedIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return closedPage(request);
    return await openPage(app, token, request, { ...filled, problem: error });
  }
}

/** By the session alone, and so only where the browser says that the form is ours. */
async function acceptAsMe(app: App, token: string, request: Request): Promise<Response> {
  const me = isOwnOrigin(app, request) ? await signedIn(app, request) : undefined;
  if (me === undefined) throw new Problem("unauthorized", "Nobody is signed in here.");
  await acceptInvite(app, me, token);
  return enter();
}

async function openPage(app: App, token: string, request: Request, outcome: Outcome): Promise<Response> {
  const invite = await findOpenInvite(app, token);
  if (invite === undefined) return closedPage(request);
  const session = await signedIn(app, request);
  const me = session === undefined ? undefined : await findUser(app, session.userId);
  // For another address than theirs, an invite can be taken only by who has that one.
  const canJoinAsMe = me !== undefined && (invite.email ?? me.email) === me.email;
  return canJoinAsMe ? joinAsMePage(request, invite, me, outcome) : joinPage(request, invite, outcome);
}

function joinAsMePage(request: Request, { workspace }: Shown, { name, email }: User, { problem }: Outcome): Response {
  const texts = entranceTexts(request);
  const { invite } = texts;
  const form = html`<p>${invite.signedInAs(email ?? name)}</p>
${problem === undefined ? "" : mistakeNote(texts, problem)}
<form method="post" class="column"><input type="hidden" name="as" value="me">
<button type="submit">${invite.join}</button></form>`;
  return invitePage(request, workspace, form, problem);
}

function joinPage(request: Request, { workspace, email }: Shown, outcome: Outcome): Response {
  const texts = entranceTexts(request);
  const { invite } = texts;
  const { problem } = outcome;
  const form = html`<p>${invite.about(email)}</p>
${problem === undefined ? "" : mistakeNote(texts, problem)}
<form method="post" class="column">
${nameField(texts, outcome.name, problem)}
${email === null ? emailField(texts, outcome.email, problem) : ""}
${newPasswordField(texts, problem)}
<button type="submit">${invite.join}</button></form>`;
  return invitePage(request, workspace, form, problem);
}

function invitePage(request: Request, workspace: string, form: Markup, problem: Problem | undefined): Response {
  const { invite, language } = entranceTexts(request);
  const title = invite.title(workspace);
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title, body: html`<h1>${title}</h1>\n${form}`, status }, { language, theme: keptTheme(request) });
}

function closedPage(request: Request): Response {
  const { invite, language, signIn } = entranceTexts(request);
  const body = html`<h1>${invite.closed}</h1><p>${invite.closedText}</p>
<a class="button" href="/app">${signIn}</a>`;
  return htmlPage({ title: invite.closed, body, status: 404 }, { language, theme: keptTheme(request) });
}
