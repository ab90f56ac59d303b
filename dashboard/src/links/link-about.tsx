import type { ReactNode } from "react";
import { shortLinkParts } from "../api/short-link.ts";
import { useLink } from "./links-api.ts";

/** Under the title of a window that is about one link: which one, and what is done there. */
export function LinkAbout({ linkId, children }: { linkId: string; children: ReactNode }) {
  const { data } = useLink(linkId);
  const { host, key } = shortLinkParts(data?.link.shortLink ?? "");
  return (
    <>
      {/* Has its line before it is known, so that nothing below moves. */}
      <span className="block min-h-lh font-medium text-ink">{`${host}${key}`}</span>
      {children}
    </>
  );
}
