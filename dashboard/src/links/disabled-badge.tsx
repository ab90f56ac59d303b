import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import type { Link } from "./links-api.ts";

/** True when visitors no longer reach the link's destination; false while its disabledAt is in the future. */
export function isDisabled({ disabledAt }: Pick<Link, "disabledAt">, now: number = Date.now()): boolean {
  return disabledAt !== null && Date.parse(disabledAt) <= now;
}

/** Shows that a link is disabled, or from which day on; nothing for other links. */
export function DisabledBadge({ link }: { link: Link }) {
  const { list } = useTexts().links;
  const format = useFormat();
  if (link.disabledAt === null) return null;
  if (isDisabled(link)) return <Badge tone="danger">{list.disabled}</Badge>;
  return <Badge tone="warning">{list.disabledFrom(format.day(link.disabledAt))}</Badge>;
}
