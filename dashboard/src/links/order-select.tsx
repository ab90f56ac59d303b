import { useTexts } from "../texts/texts.tsx";
import { Select } from "../ui/field.tsx";
import { linkOrders, orderNamed } from "./links-search.ts";
import { useLinksSearch } from "./use-links-search.ts";

type OrderSelectProps = { "aria-label"?: string; className?: string };

/** Chooses the order of the list. */
export function OrderSelect(props: OrderSelectProps) {
  const { links } = useTexts();
  const { search, change } = useLinksSearch();
  return (
    <Select
      {...props}
      value={search.order ?? "newest"}
      onChange={(event) => change({ order: orderNamed(event.target.value) }, { replace: true })}
    >
      {linkOrders.map((order) => (
        <option key={order} value={order}>
          {links.orders[order]}
        </option>
      ))}
    </Select>
  );
}
