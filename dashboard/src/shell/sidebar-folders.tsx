import { Link } from "@tanstack/react-router";
import { FolderClosed, Plus, Settings2 } from "lucide-react";
import { useWorkspace } from "../api/workspace.tsx";
import { type Folder, useFolderCounts, useFolders } from "../links/links-api.ts";
import type { LinksSearch } from "../links/links-search.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { SidebarSection, sidebarLinkClass } from "./sidebar-section.tsx";

/** Folders in the sidebar; the dialog of folders has them all. */
const foldersShownMax = 10;

/** The folders of the workspace with the number of their links. */
export function SidebarFolders({ current }: { current: LinksSearch | undefined }) {
  const { shell } = useTexts();
  const format = useFormat();
  const { id, canWrite } = useWorkspace();
  const folders = useFolders().data;
  const counts = useFolderCounts(folders !== undefined && folders.length > 0);
  if (folders === undefined || (folders.length === 0 && !canWrite)) return null;
  const params = { workspaceId: String(id) };
  const manage = (before: LinksSearch): LinksSearch => ({ ...before, manage: "folders" });
  return (
    <SidebarSection
      name="folders"
      title={shell.sidebar.folders}
      action={
        <Link
          to="/w/$workspaceId/links"
          params={params}
          search={(before) => manage(current === undefined ? {} : before)}
          aria-label={shell.sidebar.manageFolders}
          title={shell.sidebar.manageFolders}
          activeProps={{ "aria-current": undefined }}
          className="grid size-7 place-items-center rounded-md text-faint hover:bg-sunken hover:text-ink [&_svg]:size-3.5"
        >
          <Settings2 aria-hidden />
        </Link>
      }
    >
      {shownOf(folders, current?.folder).map(({ id: folder, name }) => (
        <li key={folder} className="flex">
          <Link
            to="/w/$workspaceId/links"
            params={params}
            search={{ folder }}
            activeProps={{}}
            aria-current={current?.folder === folder ? "page" : undefined}
            className={sidebarLinkClass}
          >
            <FolderClosed aria-hidden />
            <span dir="auto" className="min-w-0 grow truncate text-start">
              {name}
            </span>
            {counts !== undefined && (
              <span className="text-xs text-faint tabular">{format.number(counts.get(folder) ?? 0)}</span>
            )}
          </Link>
        </li>
      ))}
      {(folders.length === 0 || folders.length > foldersShownMax) && (
        <li className="flex">
          <Link
            to="/w/$workspaceId/links"
            params={params}
            search={(before) => manage(current === undefined ? {} : before)}
            activeProps={{ "aria-current": undefined }}
            className={sidebarLinkClass}
          >
            {folders.length === 0 && <Plus aria-hidden />}
            {folders.length === 0 ? shell.sidebar.newFolder : shell.sidebar.allFolders(format.number(folders.length))}
          </Link>
        </li>
      )}
    </SidebarSection>
  );
}

/** The first folders, and the current one in any case. */
function shownOf(folders: readonly Folder[], currentId: string | undefined): Folder[] {
  return folders.filter(({ id }, index) => index < foldersShownMax || id === currentId);
}
