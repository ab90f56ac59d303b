import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { localPath } from "../base/url-text.ts";
import { Initials } from "./initials.tsx";

type AvatarProps = {
  name: string;
  /** The uploaded picture; null without one. */
  url: string | null | undefined;
  className?: string;
};

/** The picture of a person, or their initials. Decorative: the name belongs next to it. */
export function Avatar({ name, url, className }: AvatarProps) {
  const [brokenUrl, setBrokenUrl] = useState<string>();
  if (url == null || url === brokenUrl) return <Initials name={name} {...(className && { className })} />;
  return (
    <img
      src={localPath(url)}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setBrokenUrl(url)}
      className={classNames("size-9 shrink-0 rounded-full bg-sunken object-cover", className)}
    />
  );
}
