import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Skeleton } from "./states.tsx";

type ListCardProps<Item> = {
  title: string;
  about?: ReactNode;
  aside?: ReactNode;
  /** Reads the items, such as the result of useQuery. */
  query: { data: readonly Item[] | undefined; error: unknown; refetch(): Promise<unknown> };
  /** Above the list, such as its filters. */
  before?: ReactNode;
  /** Shown when there are no items. */
  none?: ReactNode;
  /** Renders an item as an `li` with a key, after the item before it. */
  children: (item: Item, before: Item | undefined) => ReactNode;
};

/** A card with a list that is loaded: skeletons first, then the items, or an error with a retry button. */
export function ListCard<Item>({ query, before, none, children, ...card }: ListCardProps<Item>) {
  const { data: items, error, refetch } = query;
  return (
    <Card {...card}>
      {before}
      {Boolean(error) && (
        <div className="p-4">
          <ErrorNote error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {items === undefined && !error && <Skeleton className="m-5 h-9" />}
      {items?.length === 0 && none}
      <ul className="divide-y divide-line">{items?.map((item, index) => children(item, items[index - 1]))}</ul>
    </Card>
  );
}
