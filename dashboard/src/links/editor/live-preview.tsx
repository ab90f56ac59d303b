import { Globe, ImageOff, QrCode } from "lucide-react";
import { compactUrl, rootKey, shortLinkParts } from "../../api/short-link.ts";
import { classNames } from "../../base/class-names.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ExternalImage } from "../../ui/external-image.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useDefaultDomain, useShortLinkOrigin } from "../links-api.ts";
import { qrUrl } from "../qr-url.ts";
import { allowedKey } from "./allowed-key.ts";
import type { Draft } from "./draft.ts";
import { useEditor } from "./editor-state.tsx";

/** Each QR code counts against the rate limit of the client's address, so it is drawn after a pause in typing. */
const delayMs = 500;

/** The short link of the form, as far as it is known. */
function usePreviewed() {
  const { draft, link } = useEditor();
  const defaultSlug = useDefaultDomain();
  const isNamed = link !== undefined && link.domain === draft.domain && link.key === draft.key;
  const origin = useShortLinkOrigin(draft.domain || defaultSlug, link);
  return {
    origin,
    shortLink: isNamed ? link.shortLink : shortLinkOf(origin, allowedKey(draft.key) ?? draft.key),
    isNamed,
  };
}

/** On narrow windows, the short link and its QR code stay visible above the form. */
export function PreviewStrip() {
  const { origin, shortLink } = usePreviewed();
  return (
    <div className="sticky -top-5 z-30 -mx-5 -mt-5 flex items-center gap-3 border-b border-line bg-surface px-5 py-2 lg:hidden">
      <p className="min-w-0 grow truncate" aria-live="polite">
        <ShortLink origin={origin} shortLink={shortLink} />
      </p>
      <div className="grid size-11 shrink-0 place-items-center rounded-md border border-line bg-white">
        {shortLink === undefined ? (
          <QrCode className="size-5 text-slate-400" aria-hidden />
        ) : (
          <QrPreview shortLink={shortLink} className="size-10" />
        )}
      </div>
    </div>
  );
}

/** A preview of the link: its short link, its QR code and its social card. */
export function LivePreview() {
  const { preview } = useTexts().links;
  const { draft, link } = useEditor();
  const { origin, shortLink, isNamed } = usePreviewed();
  return (
    <aside aria-label={preview.title} className="grid grid-cols-1 content-start gap-5 self-start lg:sticky lg:top-0">
      <div className="grid grid-cols-1 gap-1.5 max-lg:hidden">
        <h3 className="text-[13px] font-medium text-muted">{preview.shortLink}</h3>
        <div className="flex items-center gap-1 rounded-lg border border-line bg-canvas py-1.5 pl-3 pr-1.5">
          <p className="min-w-0 grow truncate" aria-live="polite">
            <ShortLink origin={origin} shortLink={shortLink} />
          </p>
          {isNamed && link !== undefined && <CopyButton text={link.shortLink} label={preview.copy} />}
        </div>
      </div>
      <div className="grid gap-1.5 max-lg:hidden">
        <h3 className="text-[13px] font-medium text-muted">{preview.qr}</h3>
        <div className="grid place-items-center rounded-lg border border-line bg-canvas p-4">
          {shortLink === undefined ? (
            <p className="grid h-32 place-items-center text-balance text-center text-[13px] text-faint">
              {preview.qrLater}
            </p>
          ) : (
            <QrPreview shortLink={shortLink} className="size-32" />
          )}
        </div>
      </div>
      <SocialCard draft={draft} />
    </aside>
  );
}

/** The QR code, pale until the one for the typed short link is drawn. */
function QrPreview({ shortLink, className }: { shortLink: string; className: string }) {
  const { preview } = useTexts().links;
  const debounced = useDebounced(shortLink, delayMs);
  return (
    <img
      src={qrUrl({ shortLink: debounced, format: "svg", size: 256 })}
      alt={preview.qrOf(debounced)}
      // The code that the window is too narrow or too wide for is not requested.
      loading="lazy"
      className={classNames(
        "rounded-md bg-white transition-opacity",
        className,
        debounced !== shortLink && "opacity-30",
      )}
    />
  );
}

function ShortLink({ origin, shortLink }: { origin: string; shortLink: string | undefined }) {
  if (shortLink === undefined) {
    return (
      <>
        <span className="text-muted">{shortLinkParts(origin).host}/</span>
        <span className="text-faint">•••••••</span>
      </>
    );
  }
  const { host, path } = shortLinkParts(shortLink);
  return (
    <>
      <span className="text-muted">{host}</span>
      <span className="font-semibold">{path}</span>
    </>
  );
}

/** The future short link; undefined while its key will be random. */
function shortLinkOf(origin: string, key: string): string | undefined {
  const typed = key.trim().replace(/^\/+/, "");
  if (typed === "") return undefined;
  return typed === rootKey ? origin : `${origin}/${encodeURI(typed)}`;
}

function SocialCard({ draft }: { draft: Draft }) {
  const { preview } = useTexts().links;
  const host = compactUrl(draft.url).split(/[/?#]/)[0];
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <h3 className="text-[13px] font-medium text-muted">{preview.card}</h3>
      <div className="overflow-hidden rounded-lg border border-line bg-canvas">
        <CardImage key={draft.image} image={draft.image} />
        <div className="grid grid-cols-1 gap-0.5 px-3 py-2.5">
          <p className="flex items-center gap-1.5 text-xs text-faint">
            <Globe className="size-3" aria-hidden />
            <span className="truncate">{host === "" ? "example.com" : host}</span>
          </p>
          <p dir="auto" className="line-clamp-2 font-medium wrap-anywhere">
            {draft.title || preview.noTitle}
          </p>
          {draft.description !== "" && (
            <p dir="auto" className="line-clamp-2 text-[13px] text-muted wrap-anywhere">
              {draft.description}
            </p>
          )}
        </div>
      </div>
      {!draft.proxy && <p className="text-[13px] text-faint">{preview.cardOff}</p>}
    </div>
  );
}

function CardImage({ image }: { image: string }) {
  const { words } = useTexts();
  const className = "aspect-[1.91/1] w-full border-b border-line";
  const none = (
    <div className={`${className} grid place-items-center bg-sunken text-faint`}>
      <ImageOff className="size-5" aria-hidden />
    </div>
  );
  if (image === "") return none;
  return (
    <ExternalImage
      url={image}
      className={`${className} object-cover`}
      fallback={none}
      placeholder={(load) => (
        <div className={`${className} grid place-items-center bg-sunken px-3`}>
          <Button size="small" onClick={load}>
            {words.loadImage}
          </Button>
        </div>
      )}
    />
  );
}
