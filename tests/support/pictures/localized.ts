import { de } from "../../../dashboard/src/texts/de/de.ts";
import { en, type Texts } from "../../../dashboard/src/texts/en/en.ts";
import { zh } from "../../../dashboard/src/texts/zh/zh.ts";

const others: readonly Texts[] = [de, zh];

/** Matches a text of the dashboard in every language, by its English words. */
export function localized(english: string): RegExp {
  const paths = pathsOf(en, english);
  if (paths.length === 0) throw new Error(`The dashboard has no text “${english}”.`);
  const translated = others.flatMap((texts) => paths.map((path) => textAt(texts, path)));
  return oneOf([english, ...translated]);
}

/** Matches a text with variable parts, such as a member's name, in every language. */
export function localizedBy(text: (texts: Texts) => string): RegExp {
  return oneOf([en, ...others].map(text));
}

function oneOf(texts: readonly string[]): RegExp {
  return new RegExp(`^(?:${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})$`);
}

/** The paths of all messages with this text. */
function pathsOf(texts: object, text: string): string[][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) => {
    if (value === text) return [[name]];
    return typeof value === "object" && value !== null ? pathsOf(value, text).map((path) => [name, ...path]) : [];
  });
}

function textAt(texts: unknown, [name, ...rest]: readonly string[]): string {
  if (name === undefined) return String(texts);
  return textAt(new Map(Object.entries(texts ?? {})).get(name), rest);
}
