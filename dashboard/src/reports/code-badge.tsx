/** A short code before a value, such as that of a language. */
export function CodeBadge({ text }: { text: string }) {
  return (
    <span
      aria-hidden
      className="inline-block min-w-7 shrink-0 rounded border border-line bg-surface px-1 py-px text-center text-[10px] font-semibold uppercase leading-4 text-muted"
    >
      {text}
    </span>
  );
}
