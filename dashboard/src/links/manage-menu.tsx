import { FolderClosed, Tags } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useLinksSearch } from "./use-links-search.ts";

/** The menu that opens the dialogs of tags and folders. */
export function ManageMenu() {
  const { links } = useTexts();
  const { change } = useLinksSearch();
  return (
    <Menu
      trigger={
        <Button aria-label={links.manage.title} className="max-md:size-9 max-md:px-0">
          <Tags />
          <span className="max-md:hidden">{links.manage.title}</span>
        </Button>
      }
    >
      <MenuItem onSelect={() => change({ manage: "tags" })}>
        <Tags aria-hidden />
        {links.manage.tags}
      </MenuItem>
      <MenuItem onSelect={() => change({ manage: "folders" })}>
        <FolderClosed aria-hidden />
        {links.manage.folders}
      </MenuItem>
    </Menu>
  );
}
