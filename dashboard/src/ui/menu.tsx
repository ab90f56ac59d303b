import { DropdownMenu } from "radix-ui";
import { type ReactNode, useState } from "react";
import { classNames } from "../base/class-names.ts";

/** The classes of floating panels, which scroll when they are higher than the available space. */
export const floatingClass =
  "z-50 min-w-44 rounded-xl border border-line bg-surface p-1 text-ink shadow-raised appear-rise max-h-[min(26rem,var(--radix-popper-available-height))] overflow-y-auto";

type MenuProps = {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "center" | "end";
  className?: string;
  /** True for a menu that is loaded by a click on its trigger. */
  isOpenAtFirst?: boolean;
};

/** A menu that opens at its trigger; the trigger must accept a ref, as buttons do. */
export function Menu({ trigger, children, align = "end", className, isOpenAtFirst = false }: MenuProps) {
  const [container, setContainer] = useState(isOpenAtFirst ? menuContainer : undefined);
  return (
    <DropdownMenu.Root
      defaultOpen={isOpenAtFirst}
      modal={false}
      onOpenChange={(isOpen) => isOpen && setContainer(menuContainer())}
    >
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={classNames(floatingClass, className)}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/**
 * The container of a menu: the page's main landmark, so that people who move between landmarks find it. While a dialog
 * is open, only the body is visible beside it.
 */
function menuContainer(): HTMLElement {
  const isDialogOpen = document.querySelector("[role=dialog][data-state=open]") !== null;
  return (isDialogOpen ? null : document.querySelector("main")) ?? document.body;
}

const itemClass =
  "flex w-full cursor-default select-none items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none data-[disabled]:opacity-55 data-[highlighted]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint";

type ItemProps = {
  children: ReactNode;
  onSelect?: () => void;
  disabled?: boolean;
  isDangerous?: boolean;
  asChild?: boolean;
};

/** An item that closes the menu when chosen. With asChild, its child, a link, is the item. */
export function MenuItem({ children, onSelect, disabled = false, isDangerous = false, asChild = false }: ItemProps) {
  return (
    <DropdownMenu.Item
      asChild={asChild}
      disabled={disabled}
      onSelect={() => onSelect?.()}
      className={classNames(itemClass, isDangerous && "text-danger [&_svg]:text-danger")}
    >
      {children}
    </DropdownMenu.Item>
  );
}

/** A heading for the items below; it cannot be chosen. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 py-1.5 text-xs font-medium text-faint">{children}</DropdownMenu.Label>;
}

/** A line between groups of items. */
export function MenuLine() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
}
