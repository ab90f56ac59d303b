import { useNavigate } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useExample, useRemoveExample } from "../api/example.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";

/** Marks the pages of the example workspace, and removes it; shows nothing in other workspaces. */
export function ExampleNote() {
  const { example: texts } = useTexts().shell;
  const { id, name } = useWorkspace();
  const { data: example } = useExample();
  const navigate = useNavigate();
  const notifyFailure = useNotifyFailure();
  const removal = useRemoveExample(() => navigate({ to: "/" }));
  if (example?.id !== id) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line bg-accent-soft px-4 py-2"
    >
      <p className="flex items-center gap-2.5">
        <FlaskConical className="size-4 shrink-0 text-accent" aria-hidden />
        {example.isReady ? texts.isExample : texts.filling}
      </p>
      <Button
        size="small"
        isBusy={removal.isPending}
        onClick={() => removal.mutate({ id, name }, { onError: notifyFailure })}
      >
        {texts.remove}
      </Button>
    </div>
  );
}
