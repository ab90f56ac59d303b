import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import type { Link } from "./links-api.ts";
import { QrEditor } from "./qr-editor.tsx";
import { usualFile } from "./qr-files.ts";
import type { QrStyle } from "./qr-style.ts";
import { zipCodesMax, zipQrCodes } from "./qr-zip.ts";
import { useQrStyle } from "./use-qr-style.ts";

/** Long enough for a browser to begin the download. */
const urlLifeMs = 60_000;

/** Downloads the QR codes of several links in one style, as a ZIP file. */
export function QrZipDialog({ links, onClose }: { links: readonly Link[]; onClose(): void }) {
  const { qr } = useTexts().links;
  const { words } = useTexts();
  const format = useFormat();
  const { api } = useWorkspace();
  const [style, setStyle] = useQrStyle();
  const [file, setFile] = useState(usualFile);
  const [done, setDone] = useState(0);
  const closing = useRef<AbortController>(undefined);
  useEffect(() => {
    closing.current = new AbortController();
    return () => closing.current?.abort();
  }, []);
  const drawn = links.slice(0, zipCodesMax);
  const download = useMutation({
    async mutationFn(style: QrStyle) {
      setDone(0);
      const { signal } = closing.current ?? new AbortController();
      const onStep = () => setDone((before) => before + 1);
      const shortLinks = drawn.map(({ shortLink }) => shortLink);
      save(await zipQrCodes({ shortLinks, style, ...file }, { api, onStep, signal }));
    },
    onSuccess: onClose,
  });
  const count = format.number(drawn.length);
  const first = drawn[0];
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={qr.zipTitle(drawn.length, count)}
      about={links.length > zipCodesMax ? qr.zipLimited(format.number(zipCodesMax)) : qr.zipAbout}
      className="max-w-3xl"
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            variant="primary"
            isBusy={download.isPending}
            disabled={style === undefined}
            onClick={() => style && download.mutate(style)}
          >
            <Download aria-hidden />
            {download.isPending ? `${format.number(done)} / ${count}` : qr.download("ZIP")}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {style === undefined && <Skeleton className="h-64" />}
        {first && style && (
          <QrEditor shortLink={first.shortLink} style={style} file={file} onStyle={setStyle} onFile={setFile} />
        )}
        <ErrorNote error={download.error} />
      </div>
    </Dialog>
  );
}

function save(blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = "qr-codes.zip";
  link.click();
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), urlLifeMs);
}
