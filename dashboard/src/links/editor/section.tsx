import { ChevronDown, type LucideIcon } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classNames } from "../../base/class-names.ts";
import type { MoreSection } from "../link-fields.ts";
import { useEditor } from "./editor-state.tsx";

type SectionProps = {
  icon: LucideIcon;
  title: string;
  /** A short summary of the section's values; undefined when none are set. */
  summary?: string | undefined;
  name: MoreSection;
  children: ReactNode;
};

/** A collapsible section under "More". */
export function Section({ icon: Icon, title, summary, name, children }: SectionProps) {
  const { open, toggle } = useEditor();
  const isOpen = open.has(name);
  const id = useId();
  return (
    <section className="border-t border-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => toggle(name)}
          className="flex w-full items-center gap-2.5 rounded-lg py-3 text-left font-medium hover:text-accent"
        >
          <Icon className="size-4 shrink-0 text-faint" aria-hidden />
          <span className="shrink-0">{title}</span>
          {summary !== undefined && (
            <span className="min-w-0 truncate rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium text-accent">
              {summary}
            </span>
          )}
          <ChevronDown
            className={classNames("ml-auto size-4 shrink-0 text-faint transition-transform", isOpen && "rotate-180")}
            aria-hidden
          />
        </button>
      </h3>
      <div id={id} hidden={!isOpen} className={isOpen ? "grid grid-cols-1 gap-4 pb-5" : ""}>
        {isOpen && children}
      </div>
    </section>
  );
}
