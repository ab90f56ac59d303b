import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import type { Link } from "./links-api.ts";

/** True when visitors do not reach the link's destination any more; false while its disabledAt is still to come. */
export function isDisabled({ disabledAt }: Pick<Link, "disabledAt">, now: number = Date.now()): boolean {
  return disabledAt !== null && Date.parse(disabledAt) <= now;
}

/** That a link is disabled, or from which day on it will be; nothing for other links. */
export function DisabledBadge({ link }: { link: Link }) {
  const { list } = useTexts().links;
  const format = useFormat();
  if (link.disabledAt === null) return null;
  if (isDisabled(link)) return <Badge tone="danger">{list.disabled}</Badge>;
  return <Badge tone="warning">{list.disabledFrom(format.day(link.disabledAt))}</Badge>;
}
