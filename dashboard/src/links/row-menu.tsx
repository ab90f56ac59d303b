import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import type { RowActions } from "./link-actions.ts";
import type { Link } from "./links-api.ts";

const loadMenu = async () => (await import("./open-row-menu.tsx")).OpenRowMenu;

/** Opens the menu of a link in the list; the script of the menu is loaded on the first click. */
export function RowMenu({ link, actions }: { link: Link; actions: RowActions }) {
  const { links } = useTexts();
  const [isRequested, setRequested] = useState(false);
  const OpenMenu = useLazyComponent(loadMenu, isRequested, () => setRequested(false));
  const label = links.list.more(link.shortLink);
  if (OpenMenu !== undefined) {
    const trigger = (
      <IconButton label={label}>
        <Ellipsis />
      </IconButton>
    );
    return <OpenMenu link={link} actions={actions} trigger={trigger} />;
  }
  return (
    <IconButton label={label} aria-haspopup="menu" aria-expanded={false} onClick={() => setRequested(true)}>
      <Ellipsis />
    </IconButton>
  );
}
