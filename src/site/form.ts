import { html } from "hono/html";
import { passwordMax, passwordMin } from "../access/users.ts";
import type { Problem } from "../base/problem.ts";

const formBytesMax = 16 * 1024;

/** The fields of a form that a browser has sent; none for what is too long or no form. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  // Browsers always send the length of a form; what comes without is not theirs.
  if (!(length <= formBytesMax)) return new URLSearchParams();
  return new URLSearchParams(await request.text());
}

/** TABLE of the forms' fields, as their readers call them. */
const fieldNames: Record<string, string> = {
  email: "Your e-mail address",
  name: "Your name",
  password: "Your password",
};

/** What is wrong, for a reader of a form: whole sentences, without the names that programs give to fields. */
export function mistakeIn({ message, hint }: Problem): string {
  const [, field = "", said = message] = /^(\w+): (.*)$/s.exec(message) ?? [];
  const name = fieldNames[field];
  const must = /^(?:it )?(must .*)$/s.exec(said)?.[1];
  const text = name !== undefined && must !== undefined ? `${name} ${must}` : said;
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}

/** The status of a form that is shown again for this reason. */
export function statusOf({ code }: Problem): 403 | 422 | 503 {
  if (code === "unavailable") return 503;
  return code === "forbidden" ? 403 : 422;
}

/** Asks for a password that is to be set. */
export const newPasswordField = html`<label>Password<input type="password" name="password" required minlength="${passwordMin}" maxlength="${passwordMax}" autocomplete="new-password" aria-describedby="password-rule"></label>
<small id="password-rule">At least ${passwordMin} characters.</small>`;
