import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { answerOf } from "../../../sdk/client.ts";
import { useIsAdministrator } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";

/** The interval between two requests of an open page. */
const refetchMs = 5 * 60_000;

/** Tells owners that this instance has lost clicks, until the operator accepts the loss; shows nothing to others. */
export function ClickLossesNote() {
  const { api, id, isOwner } = useWorkspace();
  const { shell } = useTexts();
  const format = useFormat();
  const isAdministrator = useIsAdministrator();
  const { data: losses = [] } = useQuery({
    queryKey: ["click-losses", id],
    queryFn: () =>
      answerOf(api.GET("/workspaces/{workspaceId}/click-losses", { params: { path: { workspaceId: id } } })),
    enabled: isOwner,
    refetchInterval: refetchMs,
  });
  if (!isOwner || losses.length === 0) return null;
  return (
    <div role="status" className="flex gap-2.5 border-b border-danger/30 bg-danger-soft px-4 py-2.5 text-danger">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 break-words">
        {losses.map(({ kind, clicks, since }) => (
          <p key={kind}>{shell.clickLosses[kind](format.instant(since), format.number(clicks ?? 0))}</p>
        ))}
        <p className="text-xs opacity-85">{shell.acceptClickLosses(isAdministrator)}</p>
      </div>
    </div>
  );
}
