import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { administrationKey } from "./administration-list.tsx";

type Operation<Input, Result> = {
  run(input: Input): Promise<Result>;
  /** The message after success. */
  done(result: Result, input: Input): string;
  onSuccess?(): void;
  /** True where a dialog shows the failure. */
  showsFailure?: boolean;
};

/** An administrator's change; afterwards the lists are read again. */
export function useOperation<Input, Result>({ run, done, onSuccess, showsFailure }: Operation<Input, Result>) {
  const queries = useQueryClient();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  return useMutation({
    mutationFn: run,
    async onSuccess(result, input) {
      notify({ kind: "done", text: done(result, input) });
      onSuccess?.();
      await queries.invalidateQueries({ queryKey: administrationKey });
    },
    ...(showsFailure === true ? {} : { onError: notifyFailure }),
  });
}
