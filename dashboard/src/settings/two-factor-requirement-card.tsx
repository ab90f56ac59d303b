import { useWorkspace } from "../api/workspace.tsx";
import { useWorkspaceDetails } from "../api/workspace-details.ts";
import { useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Switch } from "../ui/switch.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { useWorkspaceUpdate } from "./workspace-queries.ts";

/** Requires two-factor authentication of all members. */
export function TwoFactorRequirementCard() {
  const { security } = useTexts();
  const notify = useNotify();
  const { isOwner } = useWorkspace();
  const { data, error, refetch } = useWorkspaceDetails();
  const update = useWorkspaceUpdate();
  const save = (requiresSecondFactor: boolean) => {
    const text = requiresSecondFactor ? security.requireSaved : security.requireEnded;
    update.mutate({ requiresSecondFactor }, { onSuccess: () => notify({ kind: "done", text }) });
  };
  return (
    <Card title={security.title}>
      <div className="grid gap-4 p-4 sm:p-5">
        {data === undefined && !error && <Skeleton className="h-9" />}
        {data === undefined && Boolean(error) && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {data && (
          <Switch
            label={security.require}
            hint={security.requireHint}
            checked={data.requiresSecondFactor}
            onChange={save}
            disabled={!isOwner || update.isPending}
          />
        )}
        <ErrorNote error={update.error} />
      </div>
    </Card>
  );
}
