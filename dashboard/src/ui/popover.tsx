import { Slot } from "radix-ui";
import type { PopoverProps } from "./popover-panel.tsx";
import { useLazyComponent } from "./use-lazy-component.ts";

const loadPanel = async () => (await import("./popover-panel.tsx")).PopoverPanel;

/**
 * A floating panel at its trigger, for more than a menu can hold; the trigger must accept a ref, as buttons do. The
 * script that opens and places panels is large, and loads with the first one.
 */
export function Popover(props: PopoverProps) {
  const { trigger, isOpen, onOpenChange } = props;
  const PopoverPanel = useLazyComponent(loadPanel, isOpen, () => onOpenChange(false));
  if (PopoverPanel !== undefined) return <PopoverPanel {...props} />;
  return (
    <Slot.Root aria-haspopup="dialog" aria-expanded={false} onClick={() => onOpenChange(!isOpen)}>
      {trigger}
    </Slot.Root>
  );
}
