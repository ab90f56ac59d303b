import { Link as RouterLink } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  ChartColumn,
  CirclePause,
  CirclePlay,
  CopyPlus,
  Eye,
  FolderInput,
  History,
  Pencil,
  QrCode,
  Route,
  Share2,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import { rootKey } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import type { RowActions } from "./link-actions.ts";
import type { Link } from "./links-api.ts";
import { isSwitchedOn } from "./use-link-switch.tsx";

type OpenRowMenuProps = { link: Link; actions: RowActions; trigger: ReactNode };

/** The menu of a link, open; viewers get no actions that change it. */
export function OpenRowMenu({ link, actions, trigger }: OpenRowMenuProps) {
  const { menu } = useTexts().links;
  const { canWrite } = useWorkspace();
  return (
    <Menu className="w-52" trigger={trigger} isOpenAtFirst>
      <MenuItem onSelect={() => actions.edit(link)}>
        {canWrite ? <Pencil aria-hidden /> : <Eye aria-hidden />}
        {canWrite ? menu.edit : menu.view}
      </MenuItem>
      <MenuItem onSelect={() => actions.qr(link)}>
        <QrCode aria-hidden />
        {menu.qr}
      </MenuItem>
      <MenuItem asChild>
        <RouterLink
          to="/w/$workspaceId/analytics"
          params={{ workspaceId: link.workspaceId }}
          search={{ linkId: link.id }}
        >
          <ChartColumn aria-hidden />
          {link.testVariants === null ? menu.analytics : menu.testResults}
        </RouterLink>
      </MenuItem>
      <MenuItem onSelect={() => actions.share(link)}>
        <Share2 aria-hidden />
        {menu.share}
      </MenuItem>
      <MenuItem onSelect={() => actions.why(link)}>
        <Route aria-hidden />
        {menu.why}
      </MenuItem>
      <MenuItem onSelect={() => actions.history(link)}>
        <History aria-hidden />
        {menu.history}
      </MenuItem>
      {canWrite && <WriterItems link={link} actions={actions} />}
    </Menu>
  );
}

function WriterItems({ link, actions }: Pick<OpenRowMenuProps, "link" | "actions">) {
  const { menu } = useTexts().links;
  const isDisabled = isSwitchedOn("disabled", link);
  return (
    <>
      <MenuSeparator />
      <MenuItem onSelect={() => actions.duplicate(link)}>
        <CopyPlus aria-hidden />
        {menu.duplicate}
      </MenuItem>
      <MenuItem onSelect={() => actions.move([link])}>
        <FolderInput aria-hidden />
        {menu.move}
      </MenuItem>
      <MenuItem onSelect={() => actions.set("archived", [link], !link.archived)}>
        {link.archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        {link.archived ? menu.unarchive : menu.archive}
      </MenuItem>
      <MenuItem onSelect={() => actions.set("disabled", [link], !isDisabled)}>
        {isDisabled ? <CirclePlay aria-hidden /> : <CirclePause aria-hidden />}
        {isDisabled ? menu.enable : menu.disable}
      </MenuItem>
      {link.key !== rootKey && (
        <>
          <MenuSeparator />
          <MenuItem isDangerous onSelect={() => actions.remove([link])}>
            <Trash2 aria-hidden />
            {menu.delete}
          </MenuItem>
        </>
      )}
    </>
  );
}
