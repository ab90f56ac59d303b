import { describe, expect, test } from "bun:test";
import { type AccountChange, accountMail } from "./account-mail.ts";
import { type AccountMailTexts, accountMailTexts } from "./account-mail-texts.ts";
import { inviteMail } from "./invite-mail.ts";
import { linkMail } from "./link-mail.ts";

const place = { to: "ada@example.com", url: "https://links.example.com/app/x" };
const changes: AccountChange[] = [
  { kind: "identityConnected", provider: "Acme ID", email: "ada@acme.example" },
  { kind: "identityDisconnected", provider: "Acme ID" },
  { kind: "passkeyAdded", name: "Ada's phone" },
  { kind: "passkeyRemoved", name: "Ada's phone" },
  { kind: "emailChanged", email: "ada@acme.example" },
  { kind: "passwordChanged" },
];

/** All mails in a language, with the same values. */
function mailsIn(texts: AccountMailTexts) {
  const invite = { workspace: "Engine Room", inviter: "Charles", expiresAt: Date.UTC(2026, 10, 27) };
  return [
    inviteMail(texts, { ...place, ...invite }),
    ...[texts.magicLink(17), texts.password(18), texts.signUp(19), texts.verification(23)].map((own) =>
      linkMail(texts, place, own),
    ),
    ...[texts.existingAccount, texts.codesRemoved].map((own) => linkMail(texts, place, own)),
    ...changes.map((change) => accountMail(texts, { ...place, change })),
  ];
}

/** The names and numbers in a text, in any order. */
const valuesIn = (text: string) =>
  (text.match(/Engine Room|Charles|Acme ID|ada@acme\.example|Ada's phone|\b(?:17|18|19|23)\b|https:\S+/g) ?? []).sort();
const english = mailsIn(accountMailTexts("en"));

describe.each(["de", "zh"])("mails in %s", (language) => {
  const texts = accountMailTexts(language);
  const mails = mailsIn(texts);
  /** Without the English end of warnings. */
  const ownLines = mails.map(({ subject, text }) => [subject, ...text.split("\n\n").slice(0, 3)]);

  test("name the same values as the English ones", () => {
    expect(ownLines.map((lines) => valuesIn(lines.slice(1).join("\n")))).toEqual(
      english.map(({ text }) => valuesIn(text)),
    );
  });

  test("have their own texts, and say their language", () => {
    const englishLines = english.flatMap(({ subject, text }) => [subject, ...text.trim().split("\n\n")]);
    const same = ownLines.flat().filter((line) => englishLines.includes(line.trim()) && !line.startsWith("https:"));

    expect(same).toEqual([]);
    expect(mails.every(({ html = "" }) => html.includes(`<html lang="${texts.language}">`))).toBe(true);
  });
});

test("a warning in another language ends with the same in English", () => {
  const mails = mailsIn(accountMailTexts("de")).map(({ text, html = "" }) => ({ text, html }));
  const warnings = english.slice(-changes.length).map(({ text }) => text.trim().split("\n\n").at(-1) ?? "none");

  expect(mails.slice(-changes.length).map(({ text }, index) => text.includes(warnings[index] ?? "none"))).toEqual(
    changes.map(() => true),
  );
  expect(mails.filter(({ html }) => html.includes(`<span lang="en">`))).toHaveLength(changes.length);
});

test("a language without texts, and none, is English", () => {
  expect([null, undefined, "fr"].map((language) => accountMailTexts(language).language)).toEqual(["en", "en", "en"]);
});
