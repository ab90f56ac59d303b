import { classNames } from "../base/class-names.ts";
import { CopyButton } from "./copy-button.tsx";

type CodeProps = {
  text: string;
  label: string;
  /** Absent when another button copies the text. */
  copyLabel?: string;
  className?: string;
};

/** A command, key or other text to copy, with a button that copies it or without. */
export function Code({ text, copyLabel, label, className }: CodeProps) {
  return (
    <div
      className={classNames(
        "flex min-w-0 items-start gap-1 rounded-lg border border-line bg-sunken py-1 pl-3 pr-1",
        className,
      )}
    >
      <section aria-label={label} className="min-w-0 grow">
        {/* Long lines wrap: a scrollbar would hide the end of a key, and most browsers draw it with arrows. */}
        <pre className="whitespace-pre-wrap wrap-anywhere py-1.5 font-mono text-[13px] leading-5">{text}</pre>
      </section>
      {copyLabel !== undefined && <CopyButton text={text} label={copyLabel} />}
    </div>
  );
}
