import { invalid } from "../base/problem.ts";

/** The most characters of an externalId. */
export const externalIdCharactersMax = 255;

const externalPrefix = "ext_";

/** The externalId after `ext_`, by which a caller names its own link; undefined for another identifier. */
export function externalIdOf(identifier: string): string | undefined {
  return identifier.startsWith(externalPrefix) ? identifier.slice(externalPrefix.length) : undefined;
}

/** An externalId as it is stored, without `ext_`. Throws "unprocessable_entity" for an empty or too long one. */
export function readExternalId(value: string | null | undefined): string | null | undefined {
  if (value === undefined || value === null) return value;
  const externalId = externalIdOf(value) ?? value;
  if (externalId === "" || externalId.length > externalIdCharactersMax) {
    throw invalid("externalId", `must have 1 to ${externalIdCharactersMax} characters.`);
  }
  return externalId;
}
