import { type ReactNode, useState } from "react";

/** Whether an image comes with its URL; showing any other tells somebody else's server who looks. */
export function isInlineImage(url: string): boolean {
  return url.startsWith("data:image/");
}

type ExternalImageProps = {
  /** Give it as the key too, so that another image is asked for anew. */
  url: string;
  className?: string;
  /** What is shown before, with what loads the image. */
  placeholder(load: () => void): ReactNode;
  /** In place of an image that cannot be shown. */
  fallback: ReactNode;
};

/** An image of any URL. Somebody else's server hears of nobody who has not asked for its image. */
export function ExternalImage({ url, className, placeholder, fallback }: ExternalImageProps) {
  const [isRequested, setRequested] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return fallback;
  if (!isInlineImage(url) && !isRequested) return placeholder(() => setRequested(true));
  return <img src={url} alt="" onError={() => setBroken(true)} className={className} />;
}
