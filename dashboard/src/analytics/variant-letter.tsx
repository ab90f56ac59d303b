/** The letter of a variant, as in the editor. */
export function variantLetter(index: number): string {
  return String.fromCharCode("A".charCodeAt(0) + index);
}

/** A variant's letter on a square. */
export function VariantLetter({ children }: { children: string }) {
  return (
    <span className="grid size-6 shrink-0 place-items-center rounded-md bg-sunken text-xs font-semibold text-muted">
      {children}
    </span>
  );
}
