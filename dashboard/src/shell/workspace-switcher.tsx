import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown, FlaskConical, Plus } from "lucide-react";
import { useState } from "react";
import { useCreateExample, useExample } from "../api/example.ts";
import { useWorkspace, useWorkspaces } from "../api/workspace.tsx";
import { localPath } from "../base/url-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";

const loadDialog = async () => (await import("./new-workspace.tsx")).NewWorkspaceDialog;

/** Shows the current workspace, with a menu of the others. */
export function WorkspaceSwitcher() {
  const { shell } = useTexts();
  const current = useWorkspace();
  const { data: workspaces = [] } = useWorkspaces();
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const NewWorkspaceDialog = useLazyComponent(loadDialog, isMaking, () => setMaking(false));
  const open = (id: number) => navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) } });
  const notifyFailure = useNotifyFailure();
  const { data: example } = useExample();
  const creation = useCreateExample((id) => void open(id));
  return (
    <>
      <Menu
        align="start"
        className="w-64"
        trigger={
          <button
            type="button"
            aria-label={`${shell.switchWorkspace}: ${current.name}`}
            className="flex min-w-0 items-center gap-2.5 rounded-lg px-2 py-1.5 text-left hover:bg-sunken md:border md:border-line"
          >
            <img src={localPath(current.avatar_url)} alt="" className="size-6 shrink-0 rounded-md" />
            <span className="min-w-0 grow truncate font-medium">{current.name}</span>
            <ChevronsUpDown className="size-4 shrink-0 text-faint" aria-hidden />
          </button>
        }
      >
        <MenuLabel>{shell.workspaces}</MenuLabel>
        {workspaces.map(({ id, name, avatar_url }) => (
          <MenuItem key={id} onSelect={() => open(id)}>
            <img src={localPath(avatar_url)} alt="" className="size-5 rounded" />
            <span className="min-w-0 grow truncate">{name}</span>
            {id === current.id && <Check aria-hidden />}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => setMaking(true)}>
          <Plus aria-hidden />
          {shell.newWorkspace}
        </MenuItem>
        {example === null && (
          <MenuItem onSelect={() => creation.mutate(undefined, { onError: notifyFailure })}>
            <FlaskConical aria-hidden />
            {shell.example.explore}
          </MenuItem>
        )}
      </Menu>
      {NewWorkspaceDialog && <NewWorkspaceDialog isOpen={isMaking} onClose={() => setMaking(false)} />}
    </>
  );
}
