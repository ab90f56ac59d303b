/** New values for fields of an object; absent and undefined fields stay unchanged. */
export type PatchOf<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined };

/** Returns a copy of the object with the patch applied. Only fields of the object are copied from the patch. */
export function applyPatch<Fields extends object>(before: Fields, changes: PatchOf<NoInfer<Fields>>): Fields {
  const after = { ...before };
  // Object.keys returns string[]; these are the keys of Fields.
  for (const field of Object.keys(before) as (keyof Fields)[]) {
    const value = changes[field];
    if (value !== undefined) after[field] = value;
  }
  return after;
}
