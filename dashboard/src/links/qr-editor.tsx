import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Skeleton } from "../ui/states.tsx";
import { FileFields, StyleFields } from "./qr-fields.tsx";
import { SaveStyle } from "./qr-save-style.tsx";
import type { QrStyle } from "./qr-style.ts";
import type { QrFile } from "./qr-url.ts";
import { useQrPreview } from "./use-qr-preview.ts";

type QrEditorProps = {
  /** The link whose code is shown while its look is chosen. */
  shortLink: string;
  style: QrStyle;
  file: QrFile;
  onStyle(style: QrStyle): void;
  onFile(file: QrFile): void;
};

/** A QR code beside or above the choices of its look and of the file; it stays visible while they scroll. */
export function QrEditor({ shortLink, style, file, onStyle, onFile }: QrEditorProps) {
  const { qr } = useTexts().links;
  const { canWrite } = useWorkspace();
  const fieldErrorOf = useFieldErrorOf();
  const { src, error } = useQrPreview(shortLink, style);
  return (
    <div className="grid gap-6 md:grid-cols-[minmax(0,1fr)_minmax(0,1.25fr)]">
      <div className="contents md:sticky md:top-0 md:grid md:content-start md:gap-3 md:self-start">
        {/* The padding covers that of the dialog, in which the choices would show above the code. */}
        <div className="max-md:-mt-4 max-md:bg-surface max-md:pt-4 max-md:pb-1 max-md:[@media(height>=36rem)]:sticky max-md:-top-4 max-md:z-10">
          <div className="grid min-h-44 place-items-center rounded-xl border border-line bg-canvas p-3 md:min-h-80 md:p-6">
            {src === undefined ? (
              error === null && <Skeleton className="size-36 md:size-48" />
            ) : (
              <img src={src} alt={qr.of(shortLink)} className="max-h-40 w-40 object-contain md:max-h-64 md:w-56" />
            )}
          </div>
        </div>
        <ErrorNote error={error} shownFields={["frameText"]} />
        {canWrite && error === null && <SaveStyle style={style} />}
      </div>
      <div className="grid content-start gap-5">
        <StyleFields
          shortLink={shortLink}
          style={style}
          textError={fieldErrorOf(error, "frameText")}
          onChange={onStyle}
        />
        <div className="border-t border-line pt-5">
          <FileFields file={file} onChange={onFile} />
        </div>
      </div>
    </div>
  );
}
