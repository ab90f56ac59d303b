import { Check } from "lucide-react";
import { Slot } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useContext, useState } from "react";
import { classNames } from "../base/class-names.ts";
import { MenuParts } from "./menu-parts.ts";
import { useLazyComponent } from "./use-lazy-component.ts";

type MenuProps = {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "center" | "end";
  className?: string;
  /** True for a menu that is itself loaded by a click on its trigger. */
  isOpenAtFirst?: boolean;
};

const loadPanel = async () => (await import("./menu-panel.tsx")).MenuPanel;

/**
 * A menu that opens at its trigger; the trigger must accept a ref, as buttons do. The script that opens and places menus
 * is large, and loads with the first one.
 */
export function Menu({ trigger, children, align = "end", className, isOpenAtFirst = false }: MenuProps) {
  const [isRequested, setRequested] = useState(isOpenAtFirst);
  const MenuPanel = useLazyComponent(loadPanel, isRequested, () => setRequested(false));
  if (MenuPanel !== undefined) {
    return (
      <MenuPanel trigger={trigger} align={align} className={className}>
        {children}
      </MenuPanel>
    );
  }
  const request = () => setRequested(true);
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    request();
  };
  return (
    <Slot.Root aria-haspopup="menu" aria-expanded={false} onClick={request} onKeyDown={openByArrow}>
      {trigger}
    </Slot.Root>
  );
}

function useMenuParts() {
  const parts = useContext(MenuParts);
  if (parts === undefined) throw new Error("Items of a menu need a Menu.");
  return parts;
}

const itemClass =
  "flex w-full cursor-default select-none items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none pointer-coarse:min-h-11 data-[disabled]:opacity-55 data-[highlighted]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint";

type ItemProps = {
  children: ReactNode;
  onSelect?: () => void;
  disabled?: boolean;
  isDangerous?: boolean;
  asChild?: boolean;
};

/** An item that closes the menu when chosen. With asChild, its child, a link, is the item. */
export function MenuItem({ children, onSelect, disabled = false, isDangerous = false, asChild = false }: ItemProps) {
  const { Item } = useMenuParts();
  return (
    <Item
      asChild={asChild}
      disabled={disabled}
      onSelect={() => onSelect?.()}
      className={classNames(itemClass, isDangerous && "text-danger [&_svg]:text-danger")}
    >
      {children}
    </Item>
  );
}

type SwitchProps = { children: ReactNode; isOn: boolean; onChange(isOn: boolean): void };

/** An item that switches something on or off, with a check mark while it is on. */
export function MenuSwitch({ children, isOn, onChange }: SwitchProps) {
  const { CheckboxItem } = useMenuParts();
  return (
    <CheckboxItem checked={isOn} onCheckedChange={onChange} className={itemClass}>
      {children}
      <ChosenMark />
    </CheckboxItem>
  );
}

type ChoiceProps<Name extends string> = {
  label: string;
  value: Name;
  choices: readonly { value: Name; label: string }[];
  onChange(value: Name): void;
};

/** Items, one of them chosen. Screen readers announce the label; show it with a MenuLabel. */
export function MenuChoice<Name extends string>({ label, value, choices, onChange }: ChoiceProps<Name>) {
  const { RadioGroup, RadioItem } = useMenuParts();
  return (
    <RadioGroup aria-label={label} value={value}>
      {choices.map((choice) => (
        <RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={() => onChange(choice.value)}
          className={itemClass}
        >
          {choice.label}
          <ChosenMark />
        </RadioItem>
      ))}
    </RadioGroup>
  );
}

function ChosenMark() {
  const { ItemIndicator } = useMenuParts();
  return (
    <ItemIndicator className="ml-auto pl-3">
      <Check className="text-accent!" aria-hidden />
    </ItemIndicator>
  );
}

/** A heading for the items below; it cannot be chosen. */
export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = useMenuParts();
  return <Label className="px-2.5 py-1.5 text-xs font-medium text-faint">{children}</Label>;
}

/** A line between groups of items. */
export function MenuSeparator() {
  const { Separator } = useMenuParts();
  return <Separator className="-mx-1 my-1 h-px bg-line" />;
}
