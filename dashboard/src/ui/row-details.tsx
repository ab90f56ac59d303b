/** The details below the name in a list's row, divided by dots. On a phone the first one has its own line. */
export function RowDetails({ details: [first, ...rest] }: { details: readonly string[] }) {
  return (
    <p className="text-[13px] text-muted [overflow-wrap:anywhere]">
      <span className="max-sm:block">
        {first}
        {rest.length > 0 && <span className="max-sm:hidden">{"\u00a0· "}</span>}
      </span>
      {rest.join(" · ")}
    </p>
  );
}
