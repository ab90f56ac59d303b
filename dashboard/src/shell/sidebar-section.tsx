import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";

type SidebarSectionProps = {
  /** The name under which this browser remembers whether the section is open. */
  name: string;
  title: string;
  /** A button beside the title. */
  action?: ReactNode;
  children: ReactNode;
};

/** A list of links in the sidebar, which can be collapsed. */
export function SidebarSection({ name, title, action, children }: SidebarSectionProps) {
  const storedAs = `waypost-sidebar-${name}`;
  const [isOpen, setOpen] = useState(() => localStorage.getItem(storedAs) !== "closed");
  const listId = useId();
  const toggle = () => {
    localStorage.setItem(storedAs, isOpen ? "closed" : "open");
    setOpen(!isOpen);
  };
  return (
    <nav aria-label={title} className="grid grid-cols-1 gap-0.5">
      <div className="flex h-8 items-center justify-between">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={toggle}
          className="flex min-w-0 items-center gap-1.5 rounded-md px-2.5 py-1 text-xs font-medium text-faint hover:text-ink"
        >
          <span className="truncate">{title}</span>
          <ChevronRight aria-hidden className={`size-3.5 shrink-0 transition-transform ${isOpen ? "rotate-90" : ""}`} />
        </button>
        {action}
      </div>
      <ul id={listId} hidden={!isOpen} className="grid grid-cols-1 gap-0.5 [&[hidden]]:hidden">
        {isOpen && children}
      </ul>
    </nav>
  );
}

/** The classes of a link in a section; the current one has `aria-current`. */
export const sidebarLinkClass =
  "flex h-8 min-w-0 grow items-center gap-2.5 rounded-lg px-2.5 text-[13px] text-muted transition-colors hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint";
