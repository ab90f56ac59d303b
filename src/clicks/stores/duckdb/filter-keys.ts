import type { ClickSelection } from "../../query.ts";
import { type KeyedFilter, selectKeys } from "./compile-query.ts";
import type { Row } from "./rows.ts";
import { binding, type CompiledQuery } from "./sql.ts";
import { columnSourceOf } from "./star-schema.ts";

/** The most surrogate keys of a filter that statements name one by one. */
const keysMax = 1_000;

/**
 * The selection with the surrogate keys of its filters, for several statements that would each search the texts again:
 * among two million URLs, that took 0.7 s each. Filters that exclude texts, have many keys, or have their keys already
 * stay as they are. `read` must see the snapshot of these statements.
 */
export async function withFilterKeys<Selection extends ClickSelection>(
  selection: Selection,
  read: (query: CompiledQuery) => Promise<Row[]>,
): Promise<Selection> {
  const filters: KeyedFilter[] = [];
  for (const filter of selection.filters) filters.push(await withKeys(filter, selection.workspaceId, read));
  return { ...selection, filters };
}

async function withKeys(
  filter: KeyedFilter,
  workspaceId: number,
  read: (query: CompiledQuery) => Promise<Row[]>,
): Promise<KeyedFilter> {
  const source = columnSourceOf(filter.dimension);
  if (source.kind === "code" || filter.keys !== undefined || filter.isExcluded || filter.values.length === 0)
    return filter;
  const { parameters, bind } = binding();
  const sql = `${selectKeys(filter, { name: source.name, workspaceId }, bind)} LIMIT ${keysMax + 1}`;
  const rows = await read({ sql, parameters });
  return rows.length > keysMax ? filter : { ...filter, keys: rows.map(({ number }) => Number(number)) };
}
