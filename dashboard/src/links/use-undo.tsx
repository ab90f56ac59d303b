import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { type ToastAction, useNotify, useNotifyFailure, useWithoutActions } from "../ui/toasts.tsx";
import type { AppliedChange } from "./applied-changes.ts";
import { type UndoResult, undoChanges, useRefreshLinks } from "./links-api.ts";

/**
 * Returns the undo of changes for the message that reports them; nothing when there is nothing to undo. Links that have
 * changed since stay as they are, and another message counts them.
 */
export function useUndo(): (changes: readonly AppliedChange[]) => { action?: ToastAction } {
  const { words } = useTexts();
  const resultText = useResultText();
  const { api } = useWorkspace();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const withoutActions = useWithoutActions();
  const refresh = useRefreshLinks();
  const undo = async (changes: readonly AppliedChange[]) => {
    try {
      const result = await withoutActions(() => undoChanges(api, changes));
      notify({ kind: result.undone === 0 ? "failed" : "done", text: resultText(result) });
    } catch (error) {
      notifyFailure(error);
    }
    await refresh();
  };
  return (changes) => (changes.length === 0 ? {} : { action: { label: words.undo, run: () => void undo(changes) } });
}

/** The sentences about the result of an undo. */
function useResultText(): (result: UndoResult) => string {
  const { bulk } = useTexts().links;
  const format = useFormat();
  return ({ undone, changedSince, failed }) => {
    const total = undone + changedSince + failed;
    if (total === 1 && changedSince === 1) return bulk.linkChangedSince;
    return [
      ...(undone > 0 ? [bulk.undone(undone, format.number(undone))] : []),
      ...(changedSince > 0 ? [bulk.changedSince(changedSince, format.number(changedSince))] : []),
      ...(failed > 0 ? [bulk.notUndone(failed, format.number(failed))] : []),
    ].join("\n");
  };
}
