import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTexts } from "../texts/texts.tsx";
import { useNotify, useNotifyFailure, useWithoutActions } from "../ui/toasts.tsx";
import { administrationKey } from "./administration-list.tsx";

type Operation<Input, Result> = {
  run(input: Input): Promise<Result>;
  /** The message after success. */
  done(result: Result, input: Input): string;
  /** What the message offers to undo the change, and the message after that. */
  undo?: { run(): Promise<unknown>; done: string };
  onSuccess?(): void;
  /** True where a dialog shows the failure. */
  showsFailure?: boolean;
};

/** An administrator's change; afterwards the lists are read again. */
export function useOperation<Input, Result>(operation: Operation<Input, Result>) {
  const { run, done, undo, onSuccess, showsFailure = false } = operation;
  const { words } = useTexts();
  const queries = useQueryClient();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const withoutActions = useWithoutActions();
  const refresh = () => queries.invalidateQueries({ queryKey: administrationKey });
  const undone = async (change: NonNullable<typeof undo>) => {
    try {
      await withoutActions(change.run);
      notify({ kind: "done", text: change.done });
    } catch (error) {
      notifyFailure(error);
    }
    await refresh();
  };
  return useMutation({
    mutationFn: run,
    async onSuccess(result, input) {
      const action = undo && { label: words.undo, run: () => void undone(undo) };
      notify({ kind: "done", text: done(result, input), ...(action && { action }) });
      onSuccess?.();
      await refresh();
    },
    ...(showsFailure ? {} : { onError: notifyFailure }),
  });
}
