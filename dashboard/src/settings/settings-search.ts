/** What of the members' page is in its address: whether somebody is being invited. */
type MembersSearch = { invite?: true };

/** Reads the address of the members' page; anything but true is no wish to invite. */
export function readMembersSearch({ invite }: Record<string, unknown>): MembersSearch {
  return invite === true ? { invite } : {};
}

/** What of the keys' page is in its address: whether one is being made. */
type KeysSearch = { add?: true };

/** Reads the address of the keys' page; anything but true is no wish for a new one. */
export function readKeysSearch({ add }: Record<string, unknown>): KeysSearch {
  return add === true ? { add } : {};
}
