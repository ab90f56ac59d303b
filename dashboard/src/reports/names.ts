import { useQuery } from "@tanstack/react-query";
import { type FilterName, namedFilters } from "./filters.ts";
import { useView } from "./view.tsx";

const keptMs = 5 * 60_000;

/** What the values of a filter are called; those that are no ids are called as they are. */
export function useNames(name: FilterName, values: readonly string[]): readonly string[] {
  const { source } = useView();
  const named = namedFilters.find((each) => each === name);
  const { data } = useQuery({
    queryKey: [...source.key, "names", name, values],
    queryFn: ({ signal }) =>
      Promise.all(values.map((value) => (named === undefined ? value : source.nameOf(named, value, signal)))),
    enabled: named !== undefined,
    staleTime: keptMs,
  });
  return named === undefined ? values : (data ?? values.map(() => "…"));
}
