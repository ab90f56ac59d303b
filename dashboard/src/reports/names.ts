import { useQuery } from "@tanstack/react-query";
import { type FilterName, namedFilters } from "./filters.ts";
import { useView } from "./view.tsx";

const keptMs = 5 * 60_000;

/** The names of a filter's values; values that are not ids are their own names. */
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
