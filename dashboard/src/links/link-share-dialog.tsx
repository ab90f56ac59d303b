import { shortLinkParts } from "../api/short-link.ts";
import { ShareDialog } from "../share/share-dialog.tsx";
import { useLink } from "./links-api.ts";

/** Shares the analytics of a link. */
export function LinkShareDialog({ linkId, onClose }: { linkId: string; onClose(): void }) {
  const { data } = useLink(linkId);
  const { host, path } = shortLinkParts(data?.link.shortLink ?? "");
  const name = data === undefined ? "…" : `${host}${path}`;
  return <ShareDialog subject={{ kind: "link", id: linkId }} name={name} isOpen onClose={onClose} />;
}
