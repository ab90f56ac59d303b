import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty } from "../ui/states.tsx";
import { useDebounced } from "../ui/use-debounced.ts";

const pageRows = 50;
const typingPauseMs = 250;

/** Query key of everything that only administrators read. */
export const administrationKey = ["administration"] as const;

type Page = { search?: string; after?: string; limit: number };
type Row = { id: string | number };

type ListProps<Item extends Row> = {
  name: "users" | "workspaces" | "domains";
  about: string;
  searchLabel: string;
  read(page: Page): Promise<Item[]>;
  /** Renders an item as an `li` with a key. */
  children: (item: Item) => ReactNode;
};

/** A list of the whole instance with a search, loaded page by page. */
export function AdministrationList<Item extends Row>({ name, about, searchLabel, read, children }: ListProps<Item>) {
  const { administration } = useTexts();
  const [text, setText] = useState("");
  const search = useDebounced(text.trim(), typingPauseMs);
  const query = usePages(name, search, read);
  return (
    <ListCard
      title={administration[name]}
      about={about}
      aside={<SearchField label={searchLabel} value={text} onChange={setText} className="w-full sm:w-64 sm:shrink-0" />}
      query={{ data: query.data?.pages.flat(), error: query.error, refetch: query.refetch }}
      none={<Empty icon={SearchX} title={administration.none} />}
    >
      {(item) => (
        <MoreAfter key={item.id} query={query} item={item}>
          {children(item)}
        </MoreAfter>
      )}
    </ListCard>
  );
}

function usePages<Item extends Row>(name: string, search: string, read: (page: Page) => Promise<Item[]>) {
  return useInfiniteQuery({
    queryKey: [...administrationKey, name, search],
    queryFn: ({ pageParam: after }) =>
      read({ limit: pageRows, ...(search !== "" && { search }), ...(after !== undefined && { after }) }),
    // The rows of the last search stay until those of the next arrive.
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < pageRows ? undefined : String(page.at(-1)?.id)),
  });
}

/** Shows a button below the last loaded row while there are more. */
function MoreAfter<Item extends Row>({
  query,
  item,
  children,
}: {
  query: UseInfiniteQueryResult<InfiniteData<Item[]>>;
  item: Item;
  children: ReactNode;
}) {
  const { administration } = useTexts();
  const isLast = query.data?.pages.at(-1)?.at(-1)?.id === item.id;
  return (
    <>
      {children}
      {isLast && query.hasNextPage && (
        <li className="grid justify-center p-3">
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {administration.loadMore}
          </Button>
        </li>
      )}
    </>
  );
}
