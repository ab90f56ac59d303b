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
    edit: (changes) => setEdits((before) => ({ ...before, ...changes })),
    clear: () => setEdits((current) => (current === edits ? {} : current)),
  };
}
