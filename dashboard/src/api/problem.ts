import { WaypostError } from "../../../sdk/client.ts";

/** What is wrong with one field, as a sentence, and as the API says it: `url: must be …`. */
export type Mistake = { field: string; message: string; said: string };

/** What an error of the API says: a sentence to show alone, and the fields that it names, if it names any. */
export type Told = { message: string; mistakes: readonly Mistake[]; requestId: string | null };

/** Fields are named by their path, such as `rules.0.when.country`; several mistakes are separated by semicolons. */
const named = /^([\w[\]]+(?:\.[^\s:]*)*): (.*)$/s;
const between = /; (?=[\w[\]]+(?:\.[^\s:]*)*: )/;

/** What to show of an error; undefined for one that is none of the API's, as when the server cannot be reached. */
export function toldBy(error: unknown): Told | undefined {
  if (!(error instanceof WaypostError)) return undefined;
  const { message, requestId } = error;
  const parts = named.test(message) ? message.split(between) : [];
  const mistakes = parts.flatMap((said): Mistake[] => {
    const [, field, what] = named.exec(said) ?? [];
    return field === undefined || what === undefined ? [] : [{ field, message: sentence(what), said }];
  });
  return { message: mistakes[0]?.message ?? sentence(message), mistakes, requestId };
}

/** What is wrong with a field of a form; undefined when nothing, or another one is. */
export function mistakeOf(error: unknown, ...fields: string[]): string | undefined {
  return toldBy(error)?.mistakes.find(({ field }) => fields.includes(field))?.message;
}

function sentence(said: string): string {
  const begun = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
