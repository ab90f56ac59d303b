/** Pages read of one list at most. */
const pagesMax = 100;

type PageQuery = { page: number; pageSize: number };

/** A list whole, one page of `size` after the other. */
export async function allPages<Item>(size: number, read: (query: PageQuery) => Promise<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const items = await read({ page, pageSize: size });
    all.push(...items);
    if (items.length < size) break;
  }
  return all;
}
