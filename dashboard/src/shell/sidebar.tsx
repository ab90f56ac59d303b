import { useMatch } from "@tanstack/react-router";
import { SidebarFolders } from "./sidebar-folders.tsx";
import { SidebarViews } from "./sidebar-views.tsx";

/** Saved views and folders, below the main navigation. */
export function Sidebar() {
  const match = useMatch({ from: "/signed-in/w/$workspaceId/links", shouldThrow: false });
  return (
    <>
      <SidebarViews current={match?.search} />
      <SidebarFolders current={match?.search} />
    </>
  );
}
