/** Limits of the API that fields enforce too. */

/** For the names of people, workspaces, keys, templates, tags, folders and shared pages. */
export const nameCharactersMax = 190;
