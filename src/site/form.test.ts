import { describe, expect, test } from "bun:test";
import { hashPassword } from "../access/users.ts";
import { invalid, Problem } from "../base/problem.ts";
import { emailField, fieldAttributes, formErrorNote, formErrorOf, nameField, newPasswordField } from "./form.ts";
import { type FormError, signInTexts } from "./sign-in-texts.ts";

const hostile = `"><script>alert('1')</script>&`;
const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";
const german = signInTexts({ headers: new Headers({ "Accept-Language": "de" }) });

describe("form errors", () => {
  const cases: [FormError | null, Problem][] = [
    ["emailForm", invalid("email", "must be an e-mail address such as you@example.com.")],
    ["emailTaken", new Problem("conflict", "email: ann@example.com already belongs to another user.")],
    ["nameLength", invalid("name", "must have 1 to 80 characters.")],
    ["passwordLength", invalid("password", "must have 10 to 1000 characters.")],
    ["passwordWrong", invalid("password", "this is not its password.")],
    ["signedOut", new Problem("unauthorized", "You are not signed in.")],
    ["otherAddress", new Problem("forbidden", "This invite is for another e-mail address.")],
    ["tooManyAttempts", new Problem("rate_limit_exceeded", "Too many attempts.")],
    ["busy", new Problem("unavailable", "Too many passwords are being set.")],
    [null, new Problem("conflict", "This workspace has 100 members.")],
    [null, new Problem("forbidden", "Origin: only pages of the dashboard can do this.")],
  ];
  test.each(cases)("%j is derived from its problem", (error, problem) => {
    const found = formErrorOf(problem);

    expect(found ?? null).toBe(error);
  });

  test("the error of a short password is in the page's language", async () => {
    const problem = await hashPassword("short", { account: "a" }).catch((error: unknown) => error);

    const note = problem instanceof Problem ? String(formErrorNote(german, problem)) : "no problem";

    expect(note).toBe(
      '<p class="note" id="error" role="alert">Geben Sie ein Passwort mit 10 bis 1000 Zeichen ein.</p>',
    );
  });

  test("an error without a translation is an English sentence with its hint, marked as English and escaped", () => {
    const problem = new Problem("forbidden", `Origin: only ${hostile} may.`, { hint: "Set it." });

    const note = String(formErrorNote(german, problem));

    expect(note).toBe(`<p class="note" id="error" role="alert" lang="en">Only ${escaped} may. Set it.</p>`);
  });
});

test("submitted values are escaped when they are shown again", () => {
  const field = String(emailField(german, hostile));

  expect(field).toContain(`value="${escaped}"`);
  expect(field).not.toContain("<script>");
});

describe("the invalid field alone has the focus and is described by the error note", () => {
  const cases: [string, Problem | undefined, string][] = [
    ["email", undefined, ""],
    ["email", invalid("password", "must have 10 to 1000 characters."), ""],
    ["email", new Problem("rate_limit_exceeded", "Too many attempts."), ""],
    ["email", invalid("email", "must be one."), ' aria-invalid="true" aria-describedby="error" autofocus'],
  ];
  test.each(cases)("%s: %j", (field, problem, expected) => {
    const marked = String(fieldAttributes(field, problem));

    expect(marked).toBe(expected);
  });

  test("a required name has the focus until there is an error", () => {
    const fresh = String(nameField(german, "", undefined, true));
    const after = String(nameField(german, "", invalid("email", "must be one."), true));

    expect([fresh, after].map((field) => field.includes(" autofocus"))).toEqual([true, false]);
  });

  test("a rule of the field is read after the note", () => {
    const field = String(newPasswordField(german, invalid("password", "must have 10 to 1000 characters.")));

    expect(field).toContain('aria-invalid="true" aria-describedby="error password-rule" autofocus');
  });
});
