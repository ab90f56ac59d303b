/** A variant's letter on a square. */
export function VariantLetter({ children }: { children: string }) {
  return (
    <span className="grid size-6 shrink-0 place-items-center rounded-md bg-sunken text-xs font-semibold text-muted">
      {children}
    </span>
  );
}
