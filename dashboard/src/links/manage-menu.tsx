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
        <Button>
          <Tags />
          {links.manage.title}
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
