import { html } from "hono/html";
import { signUpClosedText } from "../access/sign-up.ts";
import { emailMax, passwordMax, passwordMin } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import { Problem } from "../base/problem.ts";
import type { FormError, Markup, SignInTexts } from "./sign-in-texts.ts";

/** Most forms need no authentication; the API's open operations have the same limit. */
const formBytesMax = 4 * 1024;
/** A signed-in person can choose among 1,000 workspaces, 16 bytes each. */
export const longFormBytesMax = 16 * 1024;

/** The fields of a posted form; none if it is no form. Throws "payload_too_large" beyond `bytesMax` bytes. */
export async function readForm(request: Request, bytesMax: number = formBytesMax): Promise<URLSearchParams> {
  const form = await readFormWithin(request, bytesMax);
  // Without its fields, a form could do what the person did not choose.
  if (form === undefined) throw new Problem("payload_too_large", `The form must have at most ${bytesMax} bytes.`);
  return form;
}

/** The fields of a posted form; undefined beyond `bytesMax` bytes, and without a length, which browsers always send. */
export async function readFormWithin(
  request: Request,
  bytesMax: number = formBytesMax,
): Promise<URLSearchParams | undefined> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  return length <= bytesMax ? new URLSearchParams(await request.text()) : undefined;
}

/** The error above a form that is shown again: in the page's language if there is a translation. */
export function formErrorNote({ formErrors }: SignInTexts, problem: Problem): Markup {
  const formError = formErrorOf(problem);
  return formError === undefined
    ? html`<p class="note" id="error" role="alert" lang="en">${sentenceOf(problem)}</p>`
    : html`<p class="note" id="error" role="alert">${formErrors[formError]}</p>`;
}

/** Splits a problem's message into its field, if any, and the sentence. */
function partsOf({ message }: Problem): { field: string; text: string } {
  const [, field = "", text = message] = /^(\w+): (.*)$/s.exec(message) ?? [];
  return { field, text };
}

/** The form error of a problem; undefined for a rare one, which is shown in the API's words. */
export function formErrorOf(problem: Problem): FormError | undefined {
  const { field, text } = partsOf(problem);
  switch (`${problem.code} ${field}`.trim()) {
    case "unprocessable_entity email":
      return "emailForm";
    case "unprocessable_entity name":
      return "nameLength";
    case "unprocessable_entity password":
      return text.startsWith("must ") ? "passwordLength" : "passwordWrong";
    case "conflict email":
      return "emailTaken";
    case "unauthorized":
      return "signedOut";
    case "forbidden":
      return text === signUpClosedText ? "signUpClosed" : "otherAddress";
    case "rate_limit_exceeded":
      return "tooManyAttempts";
    case "unavailable":
      return "busy";
    default:
      return undefined;
  }
}

/** The message as a sentence, without the field's name. */
function sentenceOf(problem: Problem): string {
  const { text } = partsOf(problem);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return problem.hint === undefined ? sentence : `${sentence} ${problem.hint}`;
}

/** The status of a form that is shown again with this problem. */
export function statusOf({ code }: Problem): 403 | 422 | 503 {
  if (code === "unavailable") return 503;
  return code === "forbidden" ? 403 : 422;
}

/**
 * The field for a person's name; `filled` is its submitted value, and `problem` the form's error. Forms that require it
 * begin with it, so it gets the focus unless there is an error.
 */
export function nameField({ name }: SignInTexts, filled: string, problem?: Problem, isRequired = false): Markup {
  const required = isRequired ? html` required${problem === undefined ? html` autofocus` : ""}` : "";
  return html`<label>${name}<input name="name" value="${filled}"${required} maxlength="${workspaceNameMax}" autocomplete="name"${fieldAttributes("name", problem)}></label>`;
}

/** The field for an e-mail address; `filled` is its submitted value, and `problem` the form's error. */
export function emailField({ email }: SignInTexts, filled: string, problem?: Problem): Markup {
  return html`<label>${email}<input type="email" name="email" value="${filled}" required maxlength="${emailMax}" placeholder="you@example.com" autocomplete="email"${fieldAttributes("email", problem)}></label>`;
}

/** The field for a new password. */
export function newPasswordField({ password, passwordRule }: SignInTexts, problem?: Problem): Markup {
  return html`<label>${password}<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" autocomplete="new-password"${fieldAttributes("password", problem, "password-rule")}></label>
<small id="password-rule">${passwordRule}</small>`;
}

/**
 * The aria attributes of a field; `described` is the id of an element that describes it. The field that the problem is
 * about gets the focus, so that a screen reader reads its label and then the note of `formErrorNote`, which must exist.
 */
export function fieldAttributes(field: string, problem: Problem | undefined, described = ""): Markup {
  if (problem === undefined || partsOf(problem).field !== field) {
    return described === "" ? html`` : html` aria-describedby="${described}"`;
  }
  return html` aria-invalid="true" aria-describedby="${`error ${described}`.trim()}" autofocus`;
}
