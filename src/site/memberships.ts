import { html } from "hono/html";
import { listMemberships, type OwnMembership, reviewMemberships } from "../access/review-memberships.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { readWholeNumber } from "../base/whole-number.ts";
import { formErrorNote, longFormBytesMax, readForm, statusOf } from "./form.ts";
import { requireOwnOrigin } from "./own-origin.ts";
import { formPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signedIn } from "./session-cookie.ts";
import { redirectToDashboard } from "./sign-in.ts";
import { signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "config" | "db" | "now">;

/** The page on which a person confirms or leaves each membership, after they first verify their address. */
export async function membershipsForm(app: Deps, request: Request): Promise<Response> {
  const me = await signedIn(app, request);
  if (me === undefined) return redirectToDashboard();
  const open = await openMemberships(app, me.userId);
  return open.length === 0 ? redirectToDashboard() : membershipsPage(request, open);
}

/** Handles the form and redirects to the dashboard. After an error the form is shown again, and nothing has changed. */
export async function submitMembershipsForm(app: Deps, request: Request): Promise<Response> {
  const me = await signedIn(app, request);
  if (me === undefined) return redirectToDashboard();
  const form = await readForm(request, longFormBytesMax);
  try {
    requireOwnOrigin(app, request);
    await reviewMemberships(
      app,
      me.userId,
      form.getAll("leave").map((text) => readWholeNumber(String(text)) ?? 0),
    );
    return redirectToDashboard();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return membershipsPage(request, await openMemberships(app, me.userId), error);
  }
}

async function openMemberships(app: Deps, userId: string): Promise<OwnMembership[]> {
  return (await listMemberships(app, userId)).filter(({ isConfirmed }) => !isConfirmed);
}

function membershipsPage(request: Request, open: readonly OwnMembership[], problem?: Problem): Response {
  const texts = signInTexts(request);
  const { memberships, language } = texts;
  const choices = open.map(
    ({ workspaceId, name }) =>
      html`<label class="choice"><input type="checkbox" name="leave" value="${workspaceId}"> ${memberships.leave(name)}</label>`,
  );
  const body = html`<h1>${memberships.title}</h1><p>${memberships.text}</p>
${problem === undefined ? "" : formErrorNote(texts, problem)}
<form method="post" class="column">${choices}
<button type="submit">${memberships.save}</button></form>`;
  const status = problem === undefined ? 200 : statusOf(problem);
  return formPage({ title: memberships.title, body, status }, { language, theme: themeOf(request) });
}
