import { Download } from "lucide-react";
import { useState } from "react";
import { shortLinkParts } from "../api/short-link.ts";
import { useTexts } from "../texts/texts.tsx";
import { buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Switch } from "../ui/switch.tsx";
import { useLink } from "./links-api.ts";
import { type QrOptions, qrUrl } from "./qr-url.ts";

const colors = ["#000000", "#1d4ed8", "#0a6b43", "#b3261e", "#7c3aed", "#c2410c"] as const;
const pngPx = 1_000;

/** Shows the QR code of a link, to customize, copy and download. */
export function QrDialog({ linkId, onClose }: { linkId: string; onClose(): void }) {
  const { links } = useTexts();
  const { data, error, refetch } = useLink(linkId);
  const [color, setColor] = useState<string>(colors[0]);
  const [hasLogo, setLogo] = useState(true);
  const shortLink = data?.link.shortLink;
  const { host, key } = shortLinkParts(shortLink ?? "");
  const options = shortLink === undefined ? undefined : { shortLink, color, hideLogo: !hasLogo };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={links.qr.title}
      about={shortLink && `${host}${key}`}
      footer={
        options && <Downloads options={options} name={key.replace(/[^\w-]+/g, "-").replace(/^-/, "") || "link"} />
      }
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {options === undefined ? (
        error === null && <Skeleton className="h-64" />
      ) : (
        <QrCode options={options} onColor={setColor} onLogo={setLogo} />
      )}
    </Dialog>
  );
}

type Shown = Required<Pick<QrOptions, "shortLink" | "color" | "hideLogo">>;

type CodeProps = { options: Shown; onColor(color: string): void; onLogo(hasLogo: boolean): void };

function QrCode({ options, onColor, onLogo }: CodeProps) {
  const { qr } = useTexts().links;
  return (
    <div className="grid gap-5">
      <div className="grid place-items-center rounded-xl border border-line bg-canvas p-6">
        <img
          src={qrUrl({ ...options, format: "svg", size: 512 })}
          alt={qr.of(options.shortLink)}
          className="size-48 rounded-lg bg-white"
        />
      </div>
      <ColorChoice color={options.color} onChange={onColor} />
      <Switch label={qr.logo} hint={qr.logoHint} checked={!options.hideLogo} onChange={onLogo} />
    </div>
  );
}

/** The download buttons, the usual one last, as in other dialogs; in two rows on a phone. */
function Downloads({ options, name }: { options: Shown; name: string }) {
  const { qr } = useTexts().links;
  const image = qrUrl({ ...options, format: "png", size: pngPx });
  return (
    <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:justify-end [&>button]:max-sm:col-span-2">
      <CopyButton text={new URL(image, location.origin).href} label={qr.copyAddress} variant="plain" />
      {(["svg", "png"] as const).map((format) => (
        <DownloadLink key={format} options={{ ...options, format, size: pngPx }} name={`${name}.${format}`} />
      ))}
    </div>
  );
}

function DownloadLink({ options, name }: { options: QrOptions; name: string }) {
  return (
    <a
      href={qrUrl(options)}
      download={name}
      className={buttonClass({ variant: options.format === "png" ? "primary" : "plain" })}
    >
      <Download aria-hidden />
      {options.format.toUpperCase()}
    </a>
  );
}

function ColorChoice({ color, onChange }: { color: string; onChange(color: string): void }) {
  const { qr } = useTexts().links;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{qr.color}</legend>
      <div className="flex items-center gap-2">
        {colors.map((each) => (
          <button
            key={each}
            type="button"
            aria-label={each}
            aria-pressed={each === color}
            onClick={() => onChange(each)}
            // The colors of codes are the same in both themes.
            style={{ backgroundColor: each }}
            className="size-7 rounded-full border border-field ring-accent ring-offset-2 ring-offset-surface aria-pressed:ring-2"
          />
        ))}
        <input
          type="color"
          aria-label={qr.otherColor}
          value={color}
          onChange={(event) => onChange(event.target.value)}
          className="ml-1 h-8 w-10 cursor-pointer rounded-lg border border-field bg-surface p-0.5"
        />
      </div>
    </fieldset>
  );
}
