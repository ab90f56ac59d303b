/** The members page, as its URL describes it: whether the invitation dialog is open. */
type MembersSearch = { invite?: true };

/** Parses the URL of the members page. */
export function readMembersSearch({ invite }: Record<string, unknown>): MembersSearch {
  return invite === true ? { invite } : {};
}

/** The keys page, as its URL describes it: whether the dialog for a new key is open. */
type KeysSearch = { add?: true };

/** Parses the URL of the keys page. */
export function readKeysSearch({ add }: Record<string, unknown>): KeysSearch {
  return add === true ? { add } : {};
}
