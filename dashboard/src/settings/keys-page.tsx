import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus } from "lucide-react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { KeyRow } from "./key-row.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { useApiKeys } from "./workspace-queries.ts";

/** The keys of the workspace by which programs call. */
export function KeysPage() {
  const { settings } = useTexts();
  const { canWrite } = useWorkspace();
  const { data: keys, error, isPending, refetch } = useApiKeys();
  const { add = false } = useSearch({ from: "/signed-in/w/$workspaceId/settings-frame/settings/keys" });
  const navigate = useNavigate({ from: "/w/$workspaceId/settings/keys" });
  const show = (isShown: boolean) => navigate({ search: isShown ? { add: true } : {}, replace: true });
  const addButton = canWrite && (
    <Button look="primary" onClick={() => show(true)}>
      <Plus aria-hidden />
      {settings.keyAdd}
    </Button>
  );
  return (
    <>
      {!canWrite && <ReadOnlyNote>{settings.keysNoneViewer}</ReadOnlyNote>}
      <Card title={settings.keys} about={settings.keysAbout} aside={keys?.length !== 0 && addButton}>
        {error && (
          <div className="p-4">
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        )}
        {isPending && (
          <div className="grid gap-3 p-5">
            <Skeleton className="h-9" />
            <Skeleton className="h-9" />
          </div>
        )}
        {keys?.length === 0 && (
          <Empty icon={KeyRound} title={settings.keysNone} action={addButton}>
            {settings.keysNoneHint}
          </Empty>
        )}
        <ul className="divide-y divide-line">
          {keys?.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </ul>
      </Card>
      <NewKeyDialog key={String(add)} isOpen={add && canWrite} onClose={() => show(false)} />
    </>
  );
}
