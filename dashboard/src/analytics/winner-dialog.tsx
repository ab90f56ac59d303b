import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { displayUrl } from "../base/url-text.ts";
import { variantLetter } from "../base/variant-letter.ts";
import { type Link, useRefreshLinks } from "../links/links-api.ts";
import { useUndo } from "../links/use-undo.tsx";
import { useTexts } from "../texts/texts.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { VariantLetter } from "./variant-letter.tsx";
import { winnerChanges } from "./winner-changes.ts";

type WinnerProps = {
  link: Link;
  /** The ETag of the shown version of the link, so that the dialog overwrites no later change. */
  etag: string;
  variants: readonly { url: string }[];
  isOpen: boolean;
  onClose(): void;
};

/** Asks which variant of a test has won, makes it the only destination and ends the test. */
export function WinnerDialog({ link, etag, variants, isOpen, onClose }: WinnerProps) {
  const { test } = useTexts().analytics;
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const undo = useUndo();
  const refresh = useRefreshLinks();
  const [winner, setWinner] = useState<string>();
  const applying = useMutation({
    mutationFn: (url: string) =>
      answerOf(
        api.PATCH("/links/{linkId}", {
          params: { path: { linkId: link.id } },
          body: winnerChanges(link, url),
          headers: etag === "" ? {} : { "If-Match": etag },
        }),
      ),
    async onSuccess(changed) {
      notify({ kind: "done", text: test.applied, ...undo([changed]) });
      onClose();
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: [id, "analytics", "test"] })]);
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={test.applyTitle}
      about={test.applyAbout}
      action={test.apply}
      isBusy={applying.isPending}
      error={applying.error}
      onSubmit={() => winner !== undefined && applying.mutate(winner)}
    >
      <fieldset className="grid gap-2">
        <legend className="sr-only">{test.variant}</legend>
        {variants.map(({ url }, index) => (
          <label
            key={variantLetter(index)}
            className="flex cursor-pointer items-center gap-2.5 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="winner"
              required
              checked={winner === url}
              onChange={() => setWinner(url)}
              className="accent-accent"
            />
            <VariantLetter>{variantLetter(index)}</VariantLetter>
            <span className="min-w-0 wrap-anywhere">{displayUrl(url)}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
