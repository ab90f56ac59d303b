import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus } from "lucide-react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { Empty } from "../ui/states.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";
import { KeyRow } from "./key-row.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { useApiKeys } from "./workspace-queries.ts";

/** The workspace's API keys. */
export function KeysPage() {
  const { settings } = useTexts();
  const { canWrite } = useWorkspace();
  const keys = useApiKeys();
  const { add = false } = useSearch({ from: "/signed-in/w/$workspaceId/settings-frame/settings/keys" });
  const navigate = useNavigate({ from: "/w/$workspaceId/settings/keys" });
  const show = (isShown: boolean) => navigate({ search: isShown ? { add: true } : {}, replace: true });
  const addButton = canWrite && (
    <Button variant="primary" onClick={() => show(true)}>
      <Plus aria-hidden />
      {settings.keyAdd}
    </Button>
  );
  return (
    <TooltipProvider>
      {!canWrite && <ReadOnlyNote>{settings.keysNoneViewer}</ReadOnlyNote>}
      <ListCard
        title={settings.keys}
        about={settings.keysAbout}
        aside={keys.data?.length !== 0 && addButton}
        query={keys}
        none={
          <Empty icon={KeyRound} title={settings.keysNone} action={addButton}>
            {settings.keysNoneHint}
          </Empty>
        }
      >
        {(key) => <KeyRow key={key.id} apiKey={key} />}
      </ListCard>
      <NewKeyDialog key={String(add)} isOpen={add && canWrite} onClose={() => show(false)} />
    </TooltipProvider>
  );
}
