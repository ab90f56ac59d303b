import { Upload } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { readImage } from "./image-file.ts";

/** The bounds of pictures of people and workspaces. In base 64, they fit into a request body. */
export const avatarBounds = { sizePxMax: 256, bytesMax: 45 * 1024 };

type ImagePickerProps = {
  label: string;
  hint: string;
  /** Shows the current image. */
  preview: ReactNode;
  bounds: { sizePxMax: number; bytesMax: number };
  onPick(dataUrl: string): void;
  /** Undefined when there is no image to remove. */
  onRemove?: (() => void) | undefined;
  isBusy?: boolean;
  disabled?: boolean;
};

/** Shows an image and replaces it with one from a file. */
export function ImagePicker({ label, hint, preview, bounds, onPick, onRemove, isBusy, disabled }: ImagePickerProps) {
  const { words } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [fieldError, setFieldError] = useState<string>();
  const readPicked = async (file: File | undefined) => {
    if (file === undefined) return;
    const read = await readImage(file, bounds);
    if (read.kind === "image") onPick(read.dataUrl);
    const limit = `${bounds.bytesMax / 1024} KiB`;
    setFieldError(read.kind === "image" ? undefined : read.kind === "tooLarge" ? words.tooLarge(limit) : words.noImage);
  };
  return (
    <fieldset className="flex items-center gap-4" disabled={disabled}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      {preview}
      <div className="grid min-w-0 gap-1.5">
        <div className="flex flex-wrap gap-2">
          <Button size="small" isBusy={isBusy ?? false} disabled={disabled} onClick={() => input.current?.click()}>
            <Upload aria-hidden />
            {words.chooseImage}
          </Button>
          {onRemove && !disabled && (
            <Button size="small" variant="quiet" onClick={onRemove}>
              {words.remove}
            </Button>
          )}
        </div>
        <p
          className={fieldError ? "text-[13px] text-danger" : "text-[13px] text-faint"}
          role={fieldError ? "alert" : undefined}
        >
          {fieldError ?? hint}
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        className="hidden"
        aria-label={label}
        onChange={(event) => {
          void readPicked(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </fieldset>
  );
}
