import { html } from "hono/html";
import { acceptInvite, findOpenInvite, inviteClosed, type OpenInvite } from "../access/invites.ts";
import { joinByInvite } from "../access/join-by-invite.ts";
import { mailInviteLink } from "../access/mail-invite-link.ts";
import { hasPasswordSignIn, refuseWithoutPasswords } from "../access/password-sign-in.ts";
import { membershipIn } from "../access/roles.ts";
import { signUpMode } from "../access/sign-up.ts";
import { findUser, normalizeEmail, type User } from "../access/users.ts";
import type { App } from "../app.ts";
import { invalid, Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { emailField, formErrorNote, nameField, newPasswordField, readForm, statusOf } from "./form.ts";
import { isOwnOrigin, rejectForeignForm } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signedIn } from "./session-cookie.ts";
import { redirectToDashboard, signIn } from "./sign-in.ts";
import { type Markup, pageLanguage, signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "attempts" | "config" | "db" | "log" | "mailer" | "metrics" | "now" | "redirects">;

/**
 * The page on which a person accepts an invite.
 *
 * - A signed-in person joins with their account; a member is led to the workspace.
 * - While passwords are off, other people sign in with the identity provider first, which may create their account.
 * - A mailed link asks for name and password: the link verifies the address.
 * - A link that names an address and was not mailed shows no form.
 * - Any other link asks for an address and mails a link there, so that the page does not reveal which addresses have an
 *   account. Without a mail server it asks for name, address and password.
 * - These pages also lead to the identity provider, if there is one.
 */

/** The submitted values of a form and its error. */
type FormState = { name: string; email: string; problem?: Problem };

/** Shows the page of an invite. */
export async function inviteForm(app: Deps, token: string, request: Request): Promise<Response> {
  return await openPage(app, token, request, { name: "", email: "" });
}

/** Handles the form and signs the person in. After an error the form is shown again, and the invite stays open. */
export async function submitInviteForm(app: Deps, token: string, request: Request, peer: string): Promise<Response> {
  const form = await readForm(request);
  const filled = { name: form.get("name") ?? "", email: form.get("email") ?? "" };
  const address = clientAddress(app, request, peer);
  try {
    rejectForeignForm(app, request);
    if (form.get("as") === "me") return await acceptAsMe(app, token, request);
    refuseWithoutPasswords(app.config);
    const invite = await findOpenInvite(app, token);
    if (invite === undefined) throw inviteClosed();
    if (requiresMailedLink(app, invite))
      return await mailLink(app, token, { request, address, email: filled.email, invite });
    const joining = { ...filled, password: form.get("password") ?? "", address };
    const userId = await joinByInvite({ ...app, signal: request.signal }, token, joining);
    return await signIn(app, userId, request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return closedPage(request);
    return await openPage(app, token, request, { ...filled, problem: error });
  }
}

/** Uses only the session, so the browser must confirm that the form is ours. */
async function acceptAsMe(app: Deps, token: string, request: Request): Promise<Response> {
  const me = isOwnOrigin(app, request) ? await signedIn(app, request) : undefined;
  if (me === undefined) throw new Problem("unauthorized", "You are not signed in.");
  const home = await homeOfMember(app, await findOpenInvite(app, token), me.userId);
  if (home !== undefined) return home;
  await acceptInvite(app, me, token);
  return redirectToDashboard();
}

/** Leads a person who is a member already to the workspace; undefined for others. The invite stays open. */
async function homeOfMember(
  { db }: Deps,
  invite: OpenInvite | undefined,
  userId: string,
): Promise<Response | undefined> {
  if (invite === undefined) return undefined;
  const { workspaceId } = invite;
  if ((await membershipIn(db, { workspaceId, userId })) === undefined) return undefined;
  return redirectToDashboard({ Location: `/app/w/${workspaceId}` });
}

function requiresMailedLink({ config }: Deps, { email, provenEmail }: OpenInvite): boolean {
  return email === null && provenEmail === null && config.WAYPOST_SMTP_URL !== undefined;
}

/** Answers before the mail is sent: its time and success must not reveal anything. */
async function mailLink(
  app: Deps,
  token: string,
  { request, address, email, invite }: { request: Request; address: string; email: string; invite: OpenInvite },
): Promise<Response> {
  const to = normalizeEmail(email);
  if (to === undefined) throw invalid("email", "must be an e-mail address such as you@example.com.");
  app.attempts.inviteLink.take({ address, account: to });
  const { invite: texts } = signInTexts(request);
  const language = pageLanguage(request);
  mailInviteLink({ ...app, appUrl: app.config.WAYPOST_URL }, token, { to, language }).catch((error: unknown) =>
    app.log.warn("The link of an invite could not be mailed.", { error }),
  );
  return invitePage(request, invite.workspace, html`<p>${texts.mailSent(to)}</p>`, undefined);
}

async function openPage(app: Deps, token: string, request: Request, outcome: FormState): Promise<Response> {
  const invite = await findOpenInvite(app, token);
  if (invite === undefined) return closedPage(request);
  const session = await signedIn(app, request);
  const me = session === undefined ? undefined : await findUser(app, session.userId);
  const home = me && (await homeOfMember(app, invite, me.id));
  if (home !== undefined) return home;
  // Only the verified account of an address accepts an invite for that address.
  const canJoinAsMe =
    me !== undefined && (invite.email === null || (invite.email === me.email && me.verifiedAt !== null));
  if (canJoinAsMe) return joinAsMePage(request, invite, me, outcome);
  const shown = { ...invite, token };
  if (!hasPasswordSignIn(app.config)) return providerPage(app, request, shown, outcome);
  if (requiresMailedLink(app, invite)) return mailPage(app, request, shown, outcome);
  if (invite.email !== null && invite.provenEmail === null)
    return closedToOthersPage(app, request, { ...shown, email: invite.email }, outcome);
  return joinPage(app, request, shown, outcome);
}

/** An open invite and the token of its link. */
type ShownInvite = OpenInvite & { token: string };

function joinAsMePage(request: Request, invite: OpenInvite, { name, email }: User, { problem }: FormState): Response {
  const texts = signInTexts(request);
  const form = html`<p>${texts.invite.signedInAs(email ?? name)}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column" novalidate><input type="hidden" name="as" value="me">
<button type="submit">${texts.invite.join}</button></form>`;
  return invitePage(request, invite.workspace, form, problem);
}

function mailPage(
  app: Deps,
  request: Request,
  { workspace, token }: ShownInvite,
  { email, problem }: FormState,
): Response {
  const texts = signInTexts(request);
  const form = html`<p>${texts.invite.mailAbout}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column" novalidate>
${emailField(texts, email, problem)}
<button type="submit">${texts.invite.mailMe}</button></form>
${providerAside(app, request, token)}`;
  return invitePage(request, workspace, form, problem);
}

/** A page that sends the person to the identity provider, which returns them to the invitation. */
function providerPage(
  { config }: Deps,
  request: Request,
  { workspace, email, token }: ShownInvite,
  { problem }: FormState,
): Response {
  const { invite, continueWith } = signInTexts(request);
  const provider = config.WAYPOST_OIDC_NAME;
  const body = html`<p>${invite.withProvider(provider, email)}</p>
<a class="button" href="${providerPath(token)}">${continueWith(provider)}</a>`;
  return invitePage(request, workspace, body, problem);
}

/** Offers the identity provider below another way to join. */
function providerAside({ config }: Deps, request: Request, token: string): Markup {
  if (config.WAYPOST_OIDC_ISSUER === undefined) return html``;
  const { continueWith } = signInTexts(request);
  return html`<p class="aside"><a href="${providerPath(token)}">${continueWith(config.WAYPOST_OIDC_NAME)}</a></p>`;
}

function providerPath(token: string): string {
  return `/app/oidc?${new URLSearchParams({ next: `/invites/${token}` })}`;
}

/** Shows no form: the link names an address that the visitor has not verified. */
function closedToOthersPage(
  app: Deps,
  request: Request,
  { workspace, email, token }: ShownInvite & { email: string },
  { problem }: FormState,
): Response {
  const { invite, signIn } = signInTexts(request);
  const text =
    app.config.WAYPOST_SMTP_URL === undefined ? invite.onlyVerified(email) : invite.mailedInviteRequired(email);
  const body = html`<p>${text}</p><a class="button" href="/app">${signIn}</a>
${providerAside(app, request, token)}`;
  return invitePage(request, workspace, body, problem);
}

function joinPage(
  app: Deps,
  request: Request,
  { workspace, provenEmail, token }: ShownInvite,
  outcome: FormState,
): Response {
  const texts = signInTexts(request);
  const { invite } = texts;
  const { problem } = outcome;
  const isClosed = signUpMode(app.config) === "closed";
  const form = html`<p>${isClosed ? invite.aboutClosed(provenEmail) : invite.about(provenEmail)}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column" novalidate>
${isClosed ? "" : nameField(texts, outcome.name, problem)}
${provenEmail === null ? emailField(texts, outcome.email, problem) : ""}
${newPasswordField(texts, problem)}
<button type="submit">${invite.join}</button></form>
${providerAside(app, request, token)}`;
  return invitePage(request, workspace, form, problem);
}

function invitePage(request: Request, workspace: string, form: Markup, problem: Problem | undefined): Response {
  const { invite, language } = signInTexts(request);
  const title = invite.title(workspace);
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title, body: html`<h1>${title}</h1>\n${form}`, status }, { language, theme: themeOf(request) });
}

function closedPage(request: Request): Response {
  const { invite, language, signIn } = signInTexts(request);
  const body = html`<h1>${invite.closed}</h1><p>${invite.closedText}</p>
<a class="button" href="/app">${signIn}</a>`;
  return htmlPage({ title: invite.closed, body, status: 404 }, { language, theme: themeOf(request) });
}
