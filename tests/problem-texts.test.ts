/**
 * The dashboard shows problems in the user's language, by translating the API's sentences. The test reads the sentences
 * from the sources of the service, so that every sentence has a translation.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { formatOf } from "../dashboard/src/base/format.ts";
import { sentences as german } from "../dashboard/src/texts/de/problems/sentences.ts";
import { translator, withoutFullStop } from "../dashboard/src/texts/sentences.ts";
import { sentences as chinese } from "../dashboard/src/texts/zh/problems/sentences.ts";
import { collectSentences } from "./support/problem-sentences.ts";

/** TABLE of places whose sentences never appear in the dashboard. */
const saidElsewhere = [
  { place: "admin/", why: "answers the command line, through the admin socket" },
  { place: "backup/", why: "answers the command line" },
  { place: "click-moves/", why: "answers the command line" },
  { place: "nodes/", why: "answers the command line" },
  { place: "database/copy-tables.ts", why: "answers the command line" },
  { place: "database/moved.ts", why: "answers the command line" },
  { place: "database/postgres-encoding.ts", why: "answers the command line" },
  { place: "cli/", why: "answers the command line" },
  { place: "base/disk-space.ts", why: "answers the command line about backups and moves" },
  { place: "base/socket-file.ts", why: "keeps the service from starting" },
  { place: "domains/instance-domain.ts", why: "keeps the service from starting" },
];

/** TABLE of places that compose sentences at run time, with all composed sentences. */
const putTogether = [
  // The only union of types without a message is that of lists in a query.
  { place: "api/http/validation-message.ts", templates: ["must be text, or a list"] },
  // Up to five problems, whose sentences are read where they are created.
  { place: "api/http/prepare.ts", templates: [] },
  { place: "api/http/check-names.ts", templates: [] },
];

const languages = [
  {
    language: "German",
    sentences: german,
    format: formatOf("de"),
    nested: {
      "has an invalid element: it is missing; it must be text":
        "enthält einen ungültigen Wert; er fehlt und muss ein Text sein",
      "has an invalid name: it must have at least 1 character":
        "enthält einen ungültigen Namen; er muss mindestens 1 Zeichen haben",
    },
    otherWords: /Benutzer|Live-Ansicht|Passwort gesetzt|Passwörter gesetzt|Oberfläche|Kennung|Kopfzeile|Aufruf/,
  },
  {
    language: "Chinese",
    sentences: chinese,
    format: formatOf("zh"),
    nested: {
      "has an invalid element: it is missing; it must be text": "其中有元素无效：该元素缺失，必须是文本",
      "has an invalid name: it must have at least 1 character": "其中有名称无效：该名称必须至少有 1 个字符",
    },
    otherWords: /用户|实时视图|数量必须|帐户|账户|访问者|运维者|变体|重定向|电子邮件/,
  },
];

const fieldInFront = /^(?:\{\}|[\w[\]]+(?:\.[^\s:]*)*): /;
const sentencesInSource = collectSentences(join(import.meta.dir, "../src")).filter(({ place }) =>
  saidElsewhere.every((elsewhere) => !place.startsWith(elsewhere.place)),
);
const isPutTogether = (template: string) => template.replaceAll("{}", "").replace(": ", "") === "";
const places = new Map(
  [
    ...sentencesInSource.filter(({ template }) => !isPutTogether(template)),
    ...putTogether.flatMap(({ place, templates }) => templates.map((template) => ({ template, place }))),
  ].map(({ template, place }) => [withoutFullStop(template.replace(fieldInFront, "")), place]),
);

test("the sources contain messages of problems, fields and schemas, with their tables and conditions", () => {
  const known = [...places.keys()];

  expect(known.length).toBeGreaterThan(300);
  expect(known).toContain("Only an owner of this workspace can do this");
  expect(known).toContain("the tag {} already exists in this workspace");
  expect(known).toContain("must have {} to {} characters");
  expect(known).toContain("must have at least {} characters");
  expect(known).toContain("No UTM template was found here with that identifier");
  expect(known).toContain("must be one of Desktop, Mobile, Tablet, or a list of these");
  expect(known).toContain("An IP address can make {} requests per minute without an API key");
  expect(known).toContain("must have at most {} characters at error correction level {}");
});

test("places that compose sentences at run time are listed", () => {
  const found = new Set(
    sentencesInSource.filter(({ template }) => isPutTogether(template)).map(({ place }) => fileOf(place)),
  );

  expect([...found].sort()).toEqual(putTogether.map(({ place }) => place).sort());
});

describe.each(languages)("in $language", ({ sentences, format, nested, otherWords }) => {
  test("every sentence has a translation", () => {
    const missing = [...places].filter(([template]) => !Object.hasOwn(sentences, template));

    expect(missing.map(([template, place]) => `${place}: ${template}`)).toEqual([]);
  });

  test("an object has the same name as in the rest of the dashboard", () => {
    expect(Object.values(sentences).filter((translation) => otherWords.test(translation))).toEqual([]);
  });

  test("every translation belongs to a sentence", () => {
    const left = Object.keys(sentences).filter((template) => !places.has(template));

    expect(left).toEqual([]);
  });

  test("a translation has each varying part of its sentence", () => {
    const offenders = Object.entries(sentences).filter(
      ([template, translation]) => placesIn(translation).join() !== numbersOf(template).join(),
    );

    expect(offenders).toEqual([]);
  });

  test("a sentence with values gets its own translation", () => {
    const translate = translator(sentences, format);
    const found = Object.entries(sentences).map(([template, own]) => ({
      own: own.replace(/\{=?\d+\}/g, "7"),
      found: translate(template.replaceAll("{}", "7")),
    }));

    expect(found.filter(({ own, found }) => own !== found)).toEqual([]);
  });

  test("a sentence inside another one is translated, too", () => {
    const translate = translator(sentences, format);

    expect(Object.fromEntries(Object.keys(nested).map((sentence) => [sentence, translate(sentence)]))).toEqual(nested);
  });

  test("no translation begins with a varying part, because the first letter is capitalized", () => {
    expect(Object.values(sentences).filter((translation) => translation.startsWith("{"))).toEqual([]);
  });

  test("a translation ends without a full stop, which the dashboard adds", () => {
    expect(Object.values(sentences).filter((translation) => /[.。]$/.test(translation))).toEqual([]);
  });
});

function fileOf(place: string): string {
  return place.split(":")[0] ?? place;
}

function numbersOf(template: string): number[] {
  return template
    .split("{}")
    .slice(1)
    .map((_, index) => index);
}

function placesIn(translation: string): number[] {
  const found = [...translation.matchAll(/\{=?(\d+)\}/g)].map(([, number]) => Number(number));
  return [...new Set(found)].sort((one, other) => one - other);
}
