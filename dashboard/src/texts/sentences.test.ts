import { expect, test } from "bun:test";
import { formatOf } from "../base/format.ts";
import { joined, translator } from "./sentences.ts";

const english = formatOf("en");

test("the sentence with the most fixed characters wins", () => {
  const translate = translator(
    {
      "must be {}": "muss {0} sein",
      "must be at least {}": "muss mindestens {0} sein",
      "must be at least {} for a url": "muss für eine Adresse mindestens {0} sein",
    },
    english,
  );

  expect(translate("must be true")).toBe("muss true sein");
  expect(translate("must be at least 10")).toBe("muss mindestens 10 sein");
  expect(translate("must be at least 10 for a url")).toBe("muss für eine Adresse mindestens 10 sein");
});

test("the varying parts of a short sentence match single words only", () => {
  const translate = translator({ "must be {}": "muss {0} sein" }, english);

  expect(translate("must be true")).toBe("muss true sein");
  expect(translate("must be text of a kind nobody knows")).toBeUndefined();
});

test("varying parts can contain any characters or be empty, and can be reordered", () => {
  const translate = translator({ "the key {} on {} is taken": "auf {1} ist {0} vergeben" }, english);

  expect(translate("the key a. b; {1} $& (c)\n+ on go.example.com is taken.")).toBe(
    "auf go.example.com ist a. b; {1} $& (c)\n+ vergeben",
  );
  expect(translate("the key  on go.example.com is taken")).toBe("auf go.example.com ist  vergeben");
});

test("ignores a final full stop, but not one inside the sentence", () => {
  const translate = translator({ "Add one. Then go on": "Fügen Sie eine hinzu. Dann geht es weiter" }, english);

  expect(translate("Add one. Then go on.")).toBe("Fügen Sie eine hinzu. Dann geht es weiter");
  expect(translate("Add oneX Then go on.")).toBeUndefined();
});

test("a part that is a sentence is translated too, if possible", () => {
  const translate = translator({ "has a name: it {}": "enthält einen Namen: {=0}", "is empty": "ist leer" }, english);

  expect(translate("has a name: it is empty")).toBe("enthält einen Namen: ist leer");
  expect(translate("has a name: it is round")).toBe("enthält einen Namen: is round");
});

test("joined parts number their varying parts consecutively", () => {
  expect(joined(["{} of {}, ", "{1} mit {0}, "], ["until {}", "bis {=0}"])).toEqual([
    "{} of {}, until {}",
    "{1} mit {0}, bis {=2}",
  ]);
});

test("a part that is an instant is formatted, and no other part is", () => {
  const translate = translator({ "links keep working until {}": "Links gehen bis {0}" }, { instant: () => "Sonntag" });

  expect(translate("links keep working until 2026-11-22T08:00:00.000Z")).toBe("Links gehen bis Sonntag");
  expect(translate("links keep working until 2026-11-22T08:00:00Z.")).toBe("Links gehen bis Sonntag");
  expect(translate("links keep working until 2026-11-22")).toBe("Links gehen bis 2026-11-22");
  expect(translate("links keep working until 2026-99-22T08:00:00Z")).toBe("Links gehen bis 2026-99-22T08:00:00Z");
});
