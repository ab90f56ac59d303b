import { createContext, type ReactNode, useContext } from "react";
import { useFieldErrorOf } from "../../ui/error-text.tsx";
import type { Link } from "../links-api.ts";
import type { Draft } from "./draft.ts";
import type { Closable } from "./open-sections.ts";
import { isChangedAt } from "./shown-fields.ts";

/** The state that the form shares with its sections. */
type EditorState = {
  draft: Draft;
  set(changes: Partial<Draft>): void;
  /** The error of the last attempt to save. */
  error: unknown;
  /** The form in that attempt; undefined before the first. */
  sent: Draft | undefined;
  /** The stored link; undefined for a new one. */
  link: Link | undefined;
  /** The open parts of the form. */
  open: ReadonlySet<Closable>;
  toggle(part: Closable): void;
};

const Current = createContext<EditorState | undefined>(undefined);

/** Provides the form's state to its sections. */
export const EditorProvider = Current.Provider;

/** The state of the surrounding form. Throws outside one. */
export function useEditor(): EditorState {
  const state = useContext(Current);
  if (state === undefined) throw new Error("useEditor needs an EditorProvider.");
  return state;
}

/** The error of a field, or of a part such as `rules.0.url`, until the person changes it. */
export function useFieldError(field: string): ReactNode {
  const { draft, sent, error } = useEditor();
  const fieldErrorOf = useFieldErrorOf();
  if (sent !== undefined && isChangedAt(field, sent, draft)) return undefined;
  return fieldErrorOf(error, field);
}
