/** Rows of one page at most. */
export const pageRowsMax = 100;
/** Characters of a search. */
export const searchCharactersMax = 200;

/** A page of a list: the rows after a cursor that contain a text. */
export type PageRequest<Cursor> = { search?: string | undefined; after?: Cursor | undefined; limit: number };

/** The pattern of LIKE, with the escape character `\`, that finds a text anywhere. */
export function containing(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
}
