import { useState } from "react";

/** What a form shows, and what the person has changed in it. */
type Draft<Stored> = {
  /** The stored values with the person's edits. */
  values: Stored;
  edits: Partial<Stored>;
  isChanged: boolean;
  edit(changes: Partial<Stored>): void;
  /** Forgets the edits after they were saved, unless the person has typed since. */
  clear(): void;
};

/**
 * The draft of a form over stored values. When another tab or person changes them, the form shows the new ones, except in
 * fields that the person has edited.
 */
export function useDraft<Stored extends object>(stored: Stored): Draft<Stored> {
  const [edits, setEdits] = useState<Partial<Stored>>({});
  const values = { ...stored, ...edits };
  return {
    values,
    edits,
    isChanged: JSON.stringify(values) !== JSON.stringify(stored),
    edit: (changes) => setEdits((before) => differing({ ...before, ...changes }, stored)),
    clear: () => setEdits((current) => (current === edits ? {} : current)),
  };
}

/** A field that has its stored value again is no edit, so it follows later changes. */
function differing<Stored extends object>(edits: Partial<Stored>, stored: Stored): Partial<Stored> {
  const kept = { ...edits };
  for (const name in kept) if (kept[name] === stored[name]) delete kept[name];
  return kept;
}
