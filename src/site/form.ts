import { html } from "hono/html";
import { emailMax, passwordMax, passwordMin } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import type { Problem } from "../base/problem.ts";
import type { FormError, Markup, SignInTexts } from "./sign-in-texts.ts";

/** Forms need no authentication; the limit is that of the API's open operations. */
const formBytesMax = 4 * 1024;

/** The fields of a form that a browser has sent; none for what is too long or no form. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  // Browsers always send the length of a form; what comes without is not theirs.
  if (!(length <= formBytesMax)) return new URLSearchParams();
  return new URLSearchParams(await request.text());
}

/** What is wrong, above the form that came back for it: in the page's language where the page has words for it. */
export function formErrorNote({ formErrors }: SignInTexts, problem: Problem): Markup {
  const mistake = formErrorOf(problem);
  return mistake === undefined
    ? html`<p class="note" id="mistake" role="alert" lang="en">${sentenceOf(problem)}</p>`
    : html`<p class="note" id="mistake" role="alert">${formErrors[mistake]}</p>`;
}

/** A refusal as the API words it: the field it is about, if any, and what is said of that. */
function partsOf({ message }: Problem): { field: string; said: string } {
  const [, field = "", said = message] = /^(\w+): (.*)$/s.exec(message) ?? [];
  return { field, said };
}

/** Which of the pages' own mistakes a problem is; undefined for a rare one, whose words are the API's. */
export function formErrorOf(problem: Problem): FormError | undefined {
  const { field, said } = partsOf(problem);
  switch (`${problem.code} ${field}`.trim()) {
    case "unprocessable_entity email":
      return "emailForm";
    case "unprocessable_entity name":
      return "nameLength";
    case "unprocessable_entity password":
      return said.startsWith("must ") ? "passwordLength" : "passwordWrong";
    case "conflict email":
      return "emailTaken";
    case "unauthorized":
      return "signedOut";
    case "forbidden":
      return "otherAddress";
    case "rate_limit_exceeded":
      return "tooManyAttempts";
    case "unavailable":
      return "busy";
    default:
      return undefined;
  }
}

/** Whole sentences, without the names that programs give to fields. */
function sentenceOf(problem: Problem): string {
  const { said } = partsOf(problem);
  const sentence = said.charAt(0).toUpperCase() + said.slice(1);
  return problem.hint === undefined ? sentence : `${sentence} ${problem.hint}`;
}

/** The status of a form that is shown again for this reason. */
export function statusOf({ code }: Problem): 403 | 422 | 503 {
  if (code === "unavailable") return 503;
  return code === "forbidden" ? 403 : 422;
}

/** Asks for a person's name; `filled` is what was typed before, and `problem` why the form came back. */
export function nameField({ name }: SignInTexts, filled: string, problem?: Problem, isRequired = false): Markup {
  const required = isRequired ? html` required` : "";
  return html`<label>${name}<input name="name" value="${filled}"${required} maxlength="${workspaceNameMax}" autocomplete="name"${fieldAttributes("name", problem)}></label>`;
}

/** Asks for an e-mail address; `filled` is what was typed before, and `problem` why the form came back. */
export function emailField({ email }: SignInTexts, filled: string, problem?: Problem): Markup {
  return html`<label>${email}<input type="email" name="email" value="${filled}" required maxlength="${emailMax}" placeholder="you@example.com" autocomplete="email"${fieldAttributes("email", problem)}></label>`;
}

/** Asks for a password that is to be set. */
export function newPasswordField({ password, passwordRule }: SignInTexts, problem?: Problem): Markup {
  return html`<label>${password}<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" autocomplete="new-password"${fieldAttributes("password", problem, "password-rule")}></label>
<small id="password-rule">${passwordRule}</small>`;
}

/**
 * Attributes of a field that is described by an element, if any. The one that a problem is about has the focus, so that a
 * screen reader reads its label and then what it is described by: the note of `mistakeNote`, which has to be there.
 */
export function fieldAttributes(field: string, problem: Problem | undefined, described = ""): Markup {
  if (problem === undefined || partsOf(problem).field !== field) {
    return described === "" ? html`` : html` aria-describedby="${described}"`;
  }
  return html` aria-invalid="true" aria-describedby="${`mistake ${described}`.trim()}" autofocus`;
}
