/** The most pages that are read of one list. */
const pagesMax = 100;

type PageQuery = { page: number; pageSize: number };

/** Reads a whole list, one page of `size` items after the other. */
export async function allPages<Item>(size: number, read: (query: PageQuery) => Promise<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const items = await read({ page, pageSize: size });
    all.push(...items);
    if (items.length < size) break;
  }
  return all;
}
