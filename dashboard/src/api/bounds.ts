/** What the API takes at most, for fields that hold no more. */

/** Of people, workspaces, keys, templates, tags, folders and shared pages. */
export const nameCharactersMax = 190;
