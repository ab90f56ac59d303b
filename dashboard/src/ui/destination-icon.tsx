import { useEffect, useState } from "react";
import { type IconLink, knownIcon, loadIcon } from "../api/destination-icons.ts";
import { compactUrl } from "../api/short-link.ts";
import { classNames } from "../base/class-names.ts";
import { hueOf } from "./initials-of.ts";

const hues = [
  "bg-accent-soft text-accent",
  "bg-success-soft text-success",
  "bg-warning-soft text-warning",
  "bg-sunken text-muted",
];

/** The icon of a link's destination; the first letter of its host while there is none. Decorative. */
export function DestinationIcon({ link, className }: { link: IconLink; className?: string }) {
  const { id, url, workspaceId } = link;
  const icon = useIcon(id, url, workspaceId);
  const host = compactUrl(url);
  if (icon != null) {
    return (
      <span
        aria-hidden
        // Icons are drawn for a light page.
        className={classNames(
          "grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-white",
          className,
        )}
      >
        <img src={icon} alt="" className="size-[55%] object-contain" />
      </span>
    );
  }
  return (
    <span
      aria-hidden
      className={classNames(
        "grid size-9 shrink-0 select-none place-items-center rounded-lg text-[13px] font-semibold",
        hues[hueOf(host.split("/")[0] ?? "", hues.length)],
        className,
      )}
    >
      {([...host][0] ?? "–").toUpperCase()}
    </span>
  );
}

function useIcon(id: string, url: string, workspaceId: string): string | null | undefined {
  const link = { id, url, workspaceId };
  const [loaded, setLoaded] = useState<{ url: string; icon: string | null }>();
  useEffect(() => {
    let isWanted = true;
    if (url === "" || knownIcon({ id, url, workspaceId }) !== undefined) return;
    void loadIcon({ id, url, workspaceId }).then((icon) => isWanted && setLoaded({ url, icon }));
    return () => {
      isWanted = false;
    };
  }, [id, url, workspaceId]);
  return knownIcon(link) ?? (loaded?.url === url ? loaded.icon : undefined);
}
