import { useEffect, useState } from "react";
import { refusedFields } from "../../api/problem.ts";
import { draftFields, type EditorSection, linkFields, moreSections, sectionOf } from "../link-fields.ts";
import { type Draft, newDraft } from "./draft.ts";

/** A part of the form that can be closed: a section, or all that are under "More". */
export type Closable = EditorSection | "more";

/**
 * Which parts of the form are open. At first, only "More" is, if it holds values that would otherwise be hidden. An
 * error opens the section of its field.
 */
export function useOpenSections(first: Draft, error: unknown) {
  const [open, setOpen] = useState<ReadonlySet<Closable>>(() => new Set(hasValueUnderMore(first) ? ["more"] : []));
  useEffect(() => {
    const wrong = refusedFields(error).flatMap(({ field }) => partsOf(field));
    if (wrong.length > 0) setOpen((before) => new Set([...before, ...wrong]));
  }, [error]);
  const toggle = (part: Closable) =>
    setOpen((before) => new Set(before.has(part) ? [...before].filter((each) => each !== part) : [...before, part]));
  return { open, toggle };
}

/** The parts that must be open to show a field. */
function partsOf(field: string): Closable[] {
  const section = sectionOf(field.split(".")[0] ?? "");
  if (section === undefined || section === "none") return [];
  return isUnderMore(section) ? ["more", section] : [section];
}

function isUnderMore(section: string): boolean {
  return moreSections.some((each) => each === section);
}

function hasValueUnderMore(draft: Draft): boolean {
  const empty = newDraft();
  return draftFields.some(
    (name) => isUnderMore(linkFields[name].section) && JSON.stringify(draft[name]) !== JSON.stringify(empty[name]),
  );
}
