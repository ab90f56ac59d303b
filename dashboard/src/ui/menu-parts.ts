import type { DropdownMenu } from "radix-ui";
import { createContext } from "react";

/** The components of menus, which are loaded with the first menu. */
type Parts = Pick<
  typeof DropdownMenu,
  "CheckboxItem" | "Item" | "ItemIndicator" | "Label" | "RadioGroup" | "RadioItem" | "Separator"
>;

/** The components of the menu around an item; undefined outside menus. */
export const MenuParts = createContext<Parts | undefined>(undefined);
