import { html } from "hono/html";
import { confirmEmail } from "../access/confirm-email.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { findSignInLink } from "../access/users.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { statusOf } from "./form.ts";
import { requireOwnOrigin } from "./own-origin.ts";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { signedIn } from "./session-cookie.ts";
import { closedPage } from "./setup.ts";
import { redirectToDashboard } from "./sign-in.ts";
import { signInTexts } from "./sign-in-texts.ts";

type Deps = Pick<App, "config" | "db" | "now">;

/**
 * The page of a link that verifies a changed e-mail address. A signed-in user verifies it with a button. Others are
 * asked to sign in first, or to set a password, which ends all earlier sessions, unless passwords are off.
 */
export async function verifyForm(app: Deps, token: string, request: Request): Promise<Response> {
  const link = await findSignInLink(app, token);
  if (!link?.email) return closedPage(app, request);
  const me = await signedIn(app, request);
  return me?.userId === link.userId ? buttonPage(request, link.email) : signInPage(app, request, link.email, token);
}

/** Verifies the address of the signed-in account and redirects to the dashboard. */
export async function submitVerifyForm(app: Deps, token: string, request: Request): Promise<Response> {
  try {
    requireOwnOrigin(app, request);
    const me = await signedIn(app, request);
    if (me === undefined) return await verifyForm(app, token, request);
    await confirmEmail(app, { userId: me.userId, token });
    return redirectToDashboard();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return closedPage(app, request, error.code === "not_found" ? 404 : statusOf(error));
  }
}

function buttonPage(request: Request, email: string): Response {
  const { verify, language } = signInTexts(request);
  const body = html`<h1>${verify.title}</h1><p>${verify.text(email)}</p>
<form method="post" class="column"><button type="submit">${verify.save}</button></form>`;
  return formPage({ title: verify.title, body, status: 200 }, { language, theme: themeOf(request) });
}

function signInPage({ config }: Deps, request: Request, email: string, token: string): Response {
  const { verify, language, signIn } = signInTexts(request);
  const body = html`<h1>${verify.title}</h1><p>${verify.signInFirst(email)}</p>
<a class="button" href="/app">${signIn}</a>
${hasPasswordSignIn(config) ? html`<p class="aside">${verify.otherwise} <a href="/app/setup/${token}">${verify.setPassword}</a></p>` : ""}`;
  return htmlPage({ title: verify.title, body, status: 200 }, { language, theme: themeOf(request) });
}
