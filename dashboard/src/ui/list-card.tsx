import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Skeleton } from "./states.tsx";

type ListCardProps<Item> = {
  title: string;
  about?: ReactNode;
  aside?: ReactNode;
  /** How the items are read, such as what useQuery returns. */
  query: { data: readonly Item[] | undefined; error: unknown; refetch(): Promise<unknown> };
  /** What is shown where there is no item. */
  none?: ReactNode;
  /** An item as an `li` with a key. */
  children: (item: Item) => ReactNode;
};

/** A card of things that are read: grey while they come, the error and a way to try again where they did not. */
export function ListCard<Item>({ query, none, children, ...card }: ListCardProps<Item>) {
  const { data: items, error, refetch } = query;
  return (
    <Card {...card}>
      {Boolean(error) && (
        <div className="p-4">
          <ErrorNote error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {items === undefined && !error && <Skeleton className="m-5 h-9" />}
      {items?.length === 0 && none}
      <ul className="divide-y divide-line">{items?.map(children)}</ul>
    </Card>
  );
}
