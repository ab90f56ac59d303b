import { Download } from "lucide-react";
import { useState } from "react";
import { shortLinkParts } from "../api/short-link.ts";
import { useTexts } from "../texts/texts.tsx";
import { buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useLink } from "./links-api.ts";
import { QrEditor } from "./qr-editor.tsx";
import { fileNameOf, usualFile } from "./qr-files.ts";
import { qrUrl } from "./qr-url.ts";
import { useQrStyle } from "./use-qr-style.ts";

/** Shows the QR code of a link, to customize, copy and download. */
export function QrDialog({ linkId, onClose }: { linkId: string; onClose(): void }) {
  const { links } = useTexts();
  const { data, error, refetch } = useLink(linkId);
  const [style, setStyle] = useQrStyle();
  const [file, setFile] = useState(usualFile);
  const shortLink = data?.link.shortLink;
  const { host, path } = shortLinkParts(shortLink ?? "");
  const url = shortLink && style && qrUrl({ shortLink, style, ...file });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={links.qr.title}
      about={shortLink && `${host}${path}`}
      className="max-w-3xl"
      footer={
        url && (
          <div className="grid w-full gap-2 sm:flex sm:justify-end">
            <CopyButton text={new URL(url, location.origin).href} label={links.qr.copyAddress} variant="plain" />
            <a href={url} download={fileNameOf(shortLink, file.format)} className={buttonClass({ variant: "primary" })}>
              <Download aria-hidden />
              {links.qr.download(file.format.toUpperCase())}
            </a>
          </div>
        )
      }
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {shortLink === undefined || style === undefined ? (
        error === null && <Skeleton className="h-64" />
      ) : (
        <QrEditor shortLink={shortLink} style={style} file={file} onStyle={setStyle} onFile={setFile} />
      )}
    </Dialog>
  );
}
