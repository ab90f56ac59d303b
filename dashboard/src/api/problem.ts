import { WaypostError } from "../../../sdk/client.ts";

/** A mistake as the API tells it: `url: must be …` names a field, other messages do not. */
export type Told = { field: string | undefined; message: string; requestId: string | null };

const named = /^([\w.[\]]+): (.*)$/s;

/** What to show of an error; undefined for one that is none of the API's, as when the server cannot be reached. */
export function toldBy(error: unknown): Told | undefined {
  if (!(error instanceof WaypostError)) return undefined;
  const [, field, said] = named.exec(error.message) ?? [];
  return { field, message: said ?? error.message, requestId: error.requestId };
}

/** What is wrong with a field of a form; undefined when nothing, or another one is. */
export function mistakeOf(error: unknown, ...fields: string[]): string | undefined {
  const told = toldBy(error);
  return told?.field !== undefined && fields.includes(told.field) ? told.message : undefined;
}
