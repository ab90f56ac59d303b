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
        // The focus ring surrounds the whole box; the scrolling text inside would clip it.
        "has-[pre:focus-visible]:outline-2 has-[pre:focus-visible]:outline-offset-2 has-[pre:focus-visible]:outline-accent",
        className,
      )}
    >
      <section aria-label={label} data-scrolls-sideways className="min-w-0 grow [&>pre]:outline-none">
        {/* The text scrolls, so the keyboard has to reach it. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <pre tabIndex={0} className="overflow-x-auto whitespace-pre py-1.5 font-mono text-[13px] leading-5">
          {text}
        </pre>
      </section>
      {copyLabel !== undefined && <CopyButton text={text} label={copyLabel} />}
    </div>
  );
}
