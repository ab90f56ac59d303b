/** Changes of an object's fields; what is absent or undefined stays. */
export type PatchOf<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined };

/**
 * The object with every change to a field that it has. It walks the object's own fields, so that no caller can forget
 * one of them.
 */
export function applyPatch<Fields extends object>(before: Fields, changes: PatchOf<NoInfer<Fields>>): Fields {
  const after = { ...before };
  // The object's own keys, by its type.
  for (const field of Object.keys(before) as (keyof Fields)[]) {
    const value = changes[field];
    if (value !== undefined) after[field] = value;
  }
  return after;
}
