import type { ReactNode } from "react";
import { shortLinkParts } from "../api/short-link.ts";
import { useLink } from "./links-api.ts";

/** The subtitle of a dialog about one link: its short link and a description. */
export function LinkAbout({ linkId, children }: { linkId: string; children: ReactNode }) {
  const { data } = useLink(linkId);
  const { host, path } = shortLinkParts(data?.link.shortLink ?? "");
  return (
    <>
      {/* The line is reserved while the link loads, so that nothing moves. */}
      <span className="block min-h-lh font-medium text-ink">{`${host}${path}`}</span>
      {children}
    </>
  );
}
