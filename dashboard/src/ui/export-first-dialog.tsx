import { useMutation } from "@tanstack/react-query";
import { FileCheck2 } from "lucide-react";
import type { ReactNode } from "react";
import { saveJson } from "../base/save-json.ts";
import { useTexts } from "../texts/texts.tsx";
import { FormDialog } from "./form-dialog.tsx";

type ExportFirstProps = {
  title: string;
  about: string;
  /** The name of the saved file. */
  file: string;
  /** Reads what is about to be deleted. */
  read(): Promise<unknown>;
  /** The fields that confirm the deletion; shown after the file was saved. */
  children: ReactNode;
  action: string;
  onDelete(): void;
  isBusy: boolean;
  isComplete?: boolean;
  error: unknown;
  shownFields?: readonly string[];
  onClose(): void;
};

/**
 * A dialog that deletes something after its data was saved to a file: a browser may block the file, so the person
 * confirms the deletion as a second step, and can save the file again before.
 */
export function ExportFirstDialog({ file, read, children, onDelete, error, ...dialog }: ExportFirstProps) {
  const { words } = useTexts();
  const saving = useMutation({
    mutationFn: read,
    onSuccess: (data) => saveJson(file, data),
  });
  if (saving.data === undefined) {
    return (
      <FormDialog
        isOpen
        onClose={dialog.onClose}
        title={dialog.title}
        about={dialog.about}
        action={words.saveData}
        onSubmit={() => saving.mutate()}
        isBusy={saving.isPending}
        error={saving.error}
      >
        <p className="text-muted">{words.saveDataFirst}</p>
      </FormDialog>
    );
  }
  const again = () => saveJson(file, saving.data);
  return (
    <FormDialog {...dialog} isOpen isDangerous onSubmit={onDelete} error={error}>
      <div role="status" className="flex gap-3 rounded-lg border border-line bg-sunken px-4 py-3">
        <FileCheck2 className="mt-0.5 size-4 shrink-0 text-success" aria-hidden />
        <p className="min-w-0 text-[13px] text-muted wrap-anywhere">
          {words.savedData(file)}{" "}
          <button type="button" className="font-medium text-accent hover:underline" onClick={again}>
            {words.saveDataAgain}
          </button>
        </p>
      </div>
      {children}
    </FormDialog>
  );
}
