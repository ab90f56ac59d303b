import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTexts } from "../texts/texts.tsx";
import { useNotify, useNotifyFailure, useWithoutActions } from "../ui/toasts.tsx";
import { administrationKey } from "./administration-list.tsx";

type Operation<Input, Result> = {
  run(input: Input): Promise<Result>;
  /** The text of the message after success. */
  successText(result: Result, input: Input): string;
  /** Undoes the change; the message offers it. */
  undo?: { run(): Promise<unknown>; successText: string };
  onSuccess?(): void;
  /** True if the caller shows the failure, as dialogs do; otherwise a message shows it. */
  showsFailure?: boolean;
};

/** A mutation for an administrator's change; afterwards the lists of the administration are read again. */
export function useOperation<Input, Result>(operation: Operation<Input, Result>) {
  const { run, successText, undo, onSuccess, showsFailure = false } = operation;
  const { words } = useTexts();
  const queries = useQueryClient();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const withoutActions = useWithoutActions();
  const refresh = () => queries.invalidateQueries({ queryKey: administrationKey });
  const runUndo = async (change: NonNullable<typeof undo>) => {
    try {
      await withoutActions(change.run);
      notify({ kind: "done", text: change.successText });
    } catch (error) {
      notifyFailure(error);
    }
    await refresh();
  };
  return useMutation({
    mutationFn: run,
    async onSuccess(result, input) {
      const action = undo && { label: words.undo, run: () => void runUndo(undo) };
      notify({ kind: "done", text: successText(result, input), ...(action && { action }) });
      onSuccess?.();
      await refresh();
    },
    ...(showsFailure ? {} : { onError: notifyFailure }),
  });
}
