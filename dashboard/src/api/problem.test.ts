import { describe, expect, test } from "bun:test";
import { WaypostError } from "../../../sdk/client.ts";
import { formatOf } from "../base/format.ts";
import { de as german } from "../texts/de/de.ts";
import { en as english } from "../texts/en/en.ts";
import { withTranslations } from "../texts/with-translations.ts";
import { zh as chinese } from "../texts/zh/zh.ts";
import { fieldErrorIn, problemOf, refusedFields, ValidationError } from "./problem.ts";

const en = await withTranslations(english, formatOf("en"));
const de = await withTranslations(german, formatOf("de"));
const zh = await withTranslations(chinese, formatOf("zh"));

type Code = ConstructorParameters<typeof WaypostError>[1] extends infer Body
  ? Body extends { error: { code: infer Known } }
    ? Known
    : never
  : never;

function refusal(message: string, code: Code = "unprocessable_entity") {
  return new WaypostError(new Response(null, { status: 422 }), { error: { code, message, doc_url: "" } });
}

describe("in English, the API's message is shown", () => {
  test("a field error is a sentence", () => {
    const error = refusal("url: must be a url; it can begin with http: or https:, and more");

    expect(fieldErrorIn(error, en, "url")).toEqual({
      text: "Must be a url; it can begin with http: or https:, and more.",
    });
    expect(fieldErrorIn(error, en, "key")).toBeUndefined();
  });

  test("a refused URL asks for a valid one", () => {
    const error = refusal("url: must be a URL such as https://example.com/page.");

    expect(fieldErrorIn(error, en, "url")?.text).toBe("Enter a valid URL, such as https://example.com/page.");
    expect(fieldErrorIn(error, de, "url")?.text).toBe("Geben Sie eine gültige URL ein, etwa https://example.com/page.");
    expect(fieldErrorIn(error, zh, "url")?.text).toBe("请输入有效的网址，例如 https://example.com/page。");
  });

  test("each of several fields has its error", () => {
    const error = refusal("testVariants.0.percentage: must be at least 10; rules.0.when.country: must be a code.");

    expect(fieldErrorIn(error, en, "testVariants.0.percentage")?.text).toBe("Must be at least 10.");
    expect(fieldErrorIn(error, en, "rules.0.when.country")?.text).toBe("Must be a code.");
  });

  test("a field path can contain any letters after its first name, or be empty there", () => {
    expect(fieldErrorIn(refusal("geo.ÖÄ: must be a code."), en, "geo.ÖÄ")?.text).toBe("Must be a code.");
    expect(fieldErrorIn(refusal("geo.: must be a code."), en, "geo.")?.text).toBe("Must be a code.");
  });

  test("a message without a field is shown in full", () => {
    expect(problemOf(refusal("No folder was found: look again."), en)).toEqual({
      message: { text: "No folder was found: look again." },
      fieldErrors: [],
      requestId: null,
    });
  });
});

describe("in other languages", () => {
  test("a sentence is translated with its names and numbers", () => {
    const error = refusal("This workspace has 100 open invites, which is the limit; revoke one first.", "conflict");

    expect(problemOf(error, de)?.message).toEqual({
      text: "Dieser Arbeitsbereich hat 100 offene Einladungen; mehr sind nicht möglich. Widerrufen Sie zuerst eine.",
    });
    expect(problemOf(error, zh)?.message).toEqual({
      text: "此工作区已有 100 个待接受的邀请，已达上限，请先撤销一个。",
    });
  });

  test("each of several errors is translated", () => {
    const error = refusal("url: must not be empty; title: must have at most 300 characters; ttl: must be a number");

    expect(fieldErrorIn(error, de, "url")?.text).toBe("Darf nicht leer sein.");
    expect(fieldErrorIn(error, de, "title")?.text).toBe("Muss höchstens 300 Zeichen haben.");
    expect(fieldErrorIn(error, de, "ttl")?.text).toBe("Muss eine Zahl sein.");
  });

  test("a name that looks like the next error stays in its sentence", () => {
    const error = refusal("name: the tag a; b: c. already exists in this workspace.", "conflict");

    expect(problemOf(error, de)?.fieldErrors).toEqual([
      { field: "name", text: "dieser Arbeitsbereich hat bereits einen Tag „a; b: c.“" },
    ]);
  });

  test("text without a translation is quoted after the meaning of its code", () => {
    const error = refusal("The moon is in the way.", "conflict");

    expect(problemOf(error, de)?.message).toEqual({
      text: "Das widerspricht dem aktuellen Stand.",
      english: "The moon is in the way.",
    });
    expect(fieldErrorIn(refusal("url: must be as round as the moon"), zh, "url")).toEqual({
      text: "有一个值无效。",
      english: "must be as round as the moon",
    });
  });

  test("the dashboard's own validation errors are shown unchanged", () => {
    const error = new ValidationError([
      { field: "geo.DE", text: "DE kommt doppelt vor." },
      { field: "image", text: "Das ist kein Bild." },
    ]);

    expect(fieldErrorIn(error, de, "geo.DE")).toEqual({ text: "DE kommt doppelt vor." });
    expect(fieldErrorIn(error, de, "image")).toEqual({ text: "Das ist kein Bild." });
  });
});

test("until the translations are loaded, the API's message is quoted", () => {
  const error = refusal("This session has ended; sign in again.", "unauthorized");

  expect(problemOf(error, german)?.message).toEqual({
    text: "Sie sind nicht angemeldet oder Ihre Anmeldung ist abgelaufen.",
    english: "This session has ended; sign in again.",
  });
  expect(problemOf(error, de)?.message).toEqual({ text: "Diese Sitzung ist beendet; melden Sie sich neu an." });
});

test("no response, a proxy's response and an unknown response are described in every language", () => {
  const unreachable = new TypeError("Failed to fetch");
  const gateway = WaypostError.from(new Response(null, { status: 502 }), "<html>");
  const odd = WaypostError.from(new Response(null, { status: 418 }), "<html>");

  for (const texts of [en, de, zh]) {
    expect(problemOf(unreachable, texts)?.message.text).toBe(texts.words.serverUnreachable);
    expect(problemOf(gateway, texts)?.message.text).toBe(texts.words.serverUnreachable);
    expect(problemOf(odd, texts)?.message.text).toContain("418");
    expect(problemOf(null, texts)).toBeUndefined();
  }
});

test("refused fields keep the API's English message", () => {
  expect(refusedFields(refusal("geo.XX: must be an ISO 3166-1 country code such as DE."))).toEqual([
    { field: "geo.XX", reason: "must be an ISO 3166-1 country code such as DE." },
  ]);
});

test("the request id is shown for failures of the service, not for refusals", () => {
  const headers = { "X-Request-Id": "41223782" };
  const errors = [422, 503].map((status) => new WaypostError(new Response(null, { status, headers }), undefined));

  expect(errors.map((error) => problemOf(error, en)?.requestId)).toEqual([null, "41223782"]);
});

describe.each([
  { language: "English", texts: en },
  { language: "German", texts: de },
  { language: "Chinese", texts: zh },
])("responses of another API version, in $language", ({ texts }) => {
  const answer = (status: number, error: unknown) => WaypostError.from(new Response(null, { status }), { error });

  test("a gateway's response with a numeric code means that the server is unreachable", () => {
    const problem = problemOf(answer(502, { code: 502, message: "Bad gateway" }), texts);

    expect(problem).toEqual({ message: { text: texts.words.serverUnreachable }, fieldErrors: [], requestId: null });
  });

  test.each(["gone", "constructor"])("the unknown code %s keeps the API's message", (code) => {
    const { text, english } = problemOf(answer(410, { code, message: "The moon is gone." }), texts)?.message ?? {};

    expect(`${text} ${english}`).toContain("The moon is gone.");
    if (texts !== en) expect(text).toBe(texts.problems.unexpectedStatus(410));
  });

  test("a response whose message is not text is unknown", () => {
    const problem = problemOf(answer(418, { code: "conflict", message: { text: "no" } }), texts);

    expect(problem?.message.text).toBe(texts.problems.unexpectedStatus(418));
  });
});

describe("the cost of translating", () => {
  /** German texts that record each message they translate. */
  function counting() {
    const translated: string[] = [];
    const translate = (message: string) => {
      translated.push(message);
      return de.problems.translate(message);
    };
    return { translated, texts: { ...de, problems: { ...de.problems, translate } } };
  }

  test("a message is translated once, however many fields show it", () => {
    const { translated, texts } = counting();
    const error = refusal("url: must not be empty; title: must be text");
    const first = fieldErrorIn(error, texts, "url");
    const translatedByFirst = translated.length;

    const others = Array.from({ length: 25 }, () => fieldErrorIn(error, texts, "title"));

    expect(first?.text).toBe("Darf nicht leer sein.");
    expect(new Set(others.map((message) => message?.text))).toEqual(new Set(["Muss ein Text sein."]));
    expect(translated.length).toBe(translatedByFirst);
  });

  test("a message is translated again in another language", () => {
    const error = refusal("url: must not be empty");

    expect([en, de, zh, de].map((texts) => fieldErrorIn(error, texts, "url")?.text)).toEqual([
      "Must not be empty.",
      "Darf nicht leer sein.",
      "不能为空。",
      "Darf nicht leer sein.",
    ]);
  });

  test("a message with a thousand apparent errors is split into few, and nothing is lost", () => {
    const { translated, texts } = counting();
    const message = `a: x${"; b: x".repeat(1000)}`;

    const problem = problemOf(refusal(message), texts);

    expect(problem?.fieldErrors.length).toBeLessThan(20);
    expect(problem?.fieldErrors.map(({ field, english }) => `${field}: ${english}`).join("; ")).toBe(message);
    expect(translated.length).toBeLessThan(200);
  });

  // A pattern with backtracking makes browsers hang, and Bun gives up and misses the rest.
  test("a field path of many dots is parsed in linear time", () => {
    const dotted = `rules${".".repeat(5000)} is long`;

    expect(refusedFields(refusal(`a: x; ${dotted}; b: y`))).toEqual([
      { field: "a", reason: `x; ${dotted}` },
      { field: "b", reason: "y" },
    ]);
    expect(refusedFields(refusal(dotted))).toEqual([]);
  });
});

test.each([
  { message: "maxClicks: must be more than 0", german: "Muss größer als 0 sein.", chinese: "必须大于 0。" },
  { message: "maxClicks: must be less than 5", german: "Muss kleiner als 5 sein.", chinese: "必须小于 5。" },
  {
    message: "title: must have more than 3 characters",
    german: "Muss mehr als 3 Zeichen haben.",
    chinese: "必须多于 3 个字符。",
  },
  {
    message: "title: must have at least 1 character",
    german: "Muss mindestens 1 Zeichen haben.",
    chinese: "必须至少有 1 个字符。",
  },
  {
    message: "code: must have exactly 6 characters",
    german: "Muss genau 6 Zeichen haben.",
    chinese: "必须正好有 6 个字符。",
  },
  {
    message: "tags: has an invalid element: it is missing; it must be text",
    german: "Enthält einen ungültigen Wert; er fehlt und muss ein Text sein.",
    chinese: "其中有元素无效：该元素缺失，必须是文本。",
  },
  {
    message: "geo: has an invalid name: it must have at most 2 characters",
    german: "Enthält einen ungültigen Namen; er muss höchstens 2 Zeichen haben.",
    chinese: "其中有名称无效：该名称必须最多有 2 个字符。",
  },
  {
    message: "slug: the domain go.example.com is in use.",
    german: "Die Domain go.example.com wird bereits verwendet.",
    chinese: "域名 go.example.com 已被使用。",
  },
  {
    message: "externalId: 5 is in use.",
    german: "Ein Wert ist ungültig.",
    chinese: "有一个值无效。",
  },
])("$message", ({ message, german, chinese }) => {
  const error = refusal(message);

  expect([problemOf(error, de)?.message.text, problemOf(error, zh)?.message.text]).toEqual([german, chinese]);
});

test("times in a message are formatted as elsewhere in the dashboard", () => {
  const time = "2026-11-22T08:00:00.000Z";
  const error = refusal(
    `Expected a TXT record at _waypost.go.example.com with the value waypost-verify=7, but found no TXT record there. Its links redirect until ${time}.`,
  );

  expect(problemOf(error, en)?.message.text).toEndWith(`Its links redirect until ${formatOf("en").instant(time)}.`);
  expect(problemOf(error, de)?.message.text).toEndWith(
    `Die Links funktionieren noch bis ${formatOf("de").instant(time)}.`,
  );
  expect(problemOf(error, zh)?.message.text).toEndWith(`链接在 ${formatOf("zh").instant(time)} 之前仍可使用。`);
});

test("an example of a time format stays unchanged", () => {
  const error = refusal("expiresAt: must be a date and time such as 2027-01-31T12:00:00Z");

  expect(fieldErrorIn(error, en, "expiresAt")?.text).toBe("Must be a date and time such as 2027-01-31T12:00:00Z.");
});

test("until its formatter is loaded, English shows the API's message unchanged", () => {
  const error = refusal("A, until 2026-11-22T08:00:00.000Z.");

  expect(problemOf(error, english)?.message).toEqual({ text: "A, until 2026-11-22T08:00:00.000Z." });
});
