import { DropdownMenu } from "radix-ui";
import { type ReactNode, useState } from "react";
import { classNames } from "../base/class-names.ts";
import { floatingClass } from "./floating-class.ts";
import { MenuParts } from "./menu-parts.ts";

type MenuPanelProps = {
  trigger: ReactNode;
  children: ReactNode;
  align: "start" | "center" | "end";
  className: string | undefined;
};

/** A menu and its trigger, open at first. */
export function MenuPanel({ trigger, children, align, className }: MenuPanelProps) {
  const [container, setContainer] = useState(menuContainer);
  return (
    <DropdownMenu.Root defaultOpen modal={false} onOpenChange={(isOpen) => isOpen && setContainer(menuContainer())}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={classNames(floatingClass, className)}
        >
          <MenuParts value={DropdownMenu}>{children}</MenuParts>
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
