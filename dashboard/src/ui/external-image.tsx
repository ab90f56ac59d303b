import { type ReactNode, useState } from "react";

/**
 * True when the URL contains the image itself; loading any other URL tells another server that someone views the page.
 */
export function isInlineImage(url: string): boolean {
  return url.startsWith("data:image/");
}

type ExternalImageProps = {
  /** Use it as the key too, so that another image asks again. */
  url: string;
  className?: string;
  /** Shown before the person agrees; its button calls `load`. */
  placeholder(load: () => void): ReactNode;
  /** Shown when the image cannot be loaded. */
  fallback: ReactNode;
};

/** Shows an image of any URL, and loads it from another server only after the person asks for it. */
export function ExternalImage({ url, className, placeholder, fallback }: ExternalImageProps) {
  const [isRequested, setRequested] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return fallback;
  if (!isInlineImage(url) && !isRequested) return placeholder(() => setRequested(true));
  return <img src={url} alt="" onError={() => setBroken(true)} className={className} />;
}
