import { type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Popover } from "../ui/popover.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import type { FilterName } from "./filters.ts";

/** Loaded when first opened, with the script that searches lists. */
const loadLists = async () => (await import("./filter-menu.tsx")).FilterLists;

type MenuProps = { trigger: ReactNode; only?: FilterName; align?: "start" | "end" };

/** A menu of filters and their values at its trigger. With `only`, it has the values of one filter. */
export function FilterMenu({ trigger, only, align = "start" }: MenuProps) {
  const { analytics } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const Lists = useLazyComponent(loadLists, isOpen, () => setOpen(false));
  return (
    <Popover
      trigger={trigger}
      label={analytics.filter}
      align={align}
      className="w-72 overflow-hidden p-0"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      {Lists === undefined ? <Skeleton className="m-3 h-64" /> : <Lists only={only} />}
    </Popover>
  );
}
