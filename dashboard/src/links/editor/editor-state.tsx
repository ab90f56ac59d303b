import { createContext, type ReactNode, useContext } from "react";
import { useFieldErrorOf } from "../../ui/error-text.tsx";
import type { Link } from "../links-api.ts";
import type { Draft } from "./draft.ts";
import { isChangedAt } from "./shown-fields.ts";

/** What the sections of the form work with. */
type EditorState = {
  draft: Draft;
  set(changes: Partial<Draft>): void;
  /** What the last attempt to save was refused with. */
  error: unknown;
  /** The form as it was in that attempt; undefined before the first. */
  sent: Draft | undefined;
  /** The link as it is stored; undefined for a new one. */
  link: Link | undefined;
};

const Current = createContext<EditorState | undefined>(undefined);

/** Gives the sections of a form what they work with. */
export const EditorProvider = Current.Provider;

/** The form that the section is part of. Throws outside one. */
export function useEditor(): EditorState {
  const state = useContext(Current);
  if (state === undefined) throw new Error("A field of a link was shown outside its form.");
  return state;
}

/** What is said to be wrong with a field, or with a part of one such as `rules.0.url`, as long as it is as it was sent. */
export function useFieldError(field: string): ReactNode {
  const { draft, sent, error } = useEditor();
  const fieldErrorOf = useFieldErrorOf();
  if (sent !== undefined && isChangedAt(field, sent, draft)) return undefined;
  return fieldErrorOf(error, field);
}
