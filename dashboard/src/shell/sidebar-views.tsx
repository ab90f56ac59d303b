import { Link } from "@tanstack/react-router";
import { Bookmark, Ellipsis, Pencil, Replace, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { type LinksSearch, searchOfView, viewQueryOf } from "../links/links-search.ts";
import { type SavedView, useSavedViewChange, useSavedViews } from "../links/saved-views.ts";
import { useTexts } from "../texts/texts.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { SidebarSection, sidebarLinkClass } from "./sidebar-section.tsx";

// Loaded when first opened, since the first script of every page contains the sidebar.
const loadDialog = async () => (await import("../links/saved-view-dialog.tsx")).SavedViewDialog;
const loadDeleteDialog = async () => (await import("../links/delete-view-dialog.tsx")).DeleteViewDialog;

/** The saved views of the list of links; nothing while there are none. */
export function SidebarViews({ current }: { current: LinksSearch | undefined }) {
  const { links } = useTexts();
  const { canWrite } = useWorkspace();
  const views = useSavedViews().data;
  if (views === undefined || views.length === 0) return null;
  const query = current === undefined ? undefined : viewQueryOf(current);
  return (
    <SidebarSection name="views" title={links.views.title}>
      {views.map((view) => (
        <li key={view.id} className="group relative flex items-center">
          <ViewLink view={view} isCurrent={view.query === query} hasMenu={canWrite} />
          {canWrite && <ViewMenu view={view} query={query} />}
        </li>
      ))}
    </SidebarSection>
  );
}

function ViewLink({ view, isCurrent, hasMenu }: { view: SavedView; isCurrent: boolean; hasMenu: boolean }) {
  const { links } = useTexts();
  const { id } = useWorkspace();
  return (
    <Link
      to="/w/$workspaceId/links"
      params={{ workspaceId: String(id) }}
      search={searchOfView(view.query)}
      activeProps={{}}
      aria-current={isCurrent ? "page" : undefined}
      className={`${sidebarLinkClass} ${hasMenu ? "pr-9" : ""}`}
    >
      <Bookmark aria-hidden />
      <span dir="auto" className="min-w-0 truncate text-start">
        {view.name}
      </span>
      {view.shared && (
        <span title={links.views.shared} className="[&_svg]:size-3.5">
          <Users aria-label={links.views.shared} role="img" />
        </span>
      )}
    </Link>
  );
}

function ViewMenu({ view, query }: { view: SavedView; query: string | undefined }) {
  const { links, words } = useTexts();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const [open, setOpen] = useState<"edit" | "delete">();
  const close = () => setOpen(undefined);
  const Dialog = useLazyComponent(loadDialog, open === "edit", close);
  const DeleteDialog = useLazyComponent(loadDeleteDialog, open === "delete", close);
  const params = { path: { id: view.id } };
  const replacement = useSavedViewChange(
    (api, changed: string) => answerOf(api.PATCH("/saved-views/{id}", { params, body: { query: changed } })),
    () => notify({ kind: "done", text: links.views.replaced }),
  );
  const isReplaceable = query !== undefined && query !== "" && query !== view.query;
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={links.views.actions(view.name)}
            className="absolute right-1 grid size-7 place-items-center rounded-md text-faint opacity-0 hover:text-ink focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 [&_svg]:size-4"
          >
            <Ellipsis aria-hidden />
          </button>
        }
      >
        <MenuItem onSelect={() => setOpen("edit")}>
          <Pencil aria-hidden />
          {words.edit}
        </MenuItem>
        {isReplaceable && (
          <MenuItem onSelect={() => replacement.mutate(query, { onError: notifyFailure })}>
            <Replace aria-hidden />
            {links.views.replace}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem isDangerous onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden />
          {words.delete}
        </MenuItem>
      </Menu>
      {open === "edit" && Dialog !== undefined && <Dialog view={view} onClose={close} />}
      {open === "delete" && DeleteDialog !== undefined && <DeleteDialog view={view} onClose={close} />}
    </>
  );
}
