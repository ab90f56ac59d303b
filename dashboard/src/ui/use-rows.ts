import { useState } from "react";

/** Rows that a person edits, as they stand, and what can be done with them; each has a key that stays with it. */
export type EditedRows<Row> = {
  rows: readonly { key: string; row: Row }[];
  add(row: Row): void;
  change(index: number, row: Row): void;
  remove(index: number): void;
  move(index: number, to: number): void;
};

let keysMade = 0;

function newKey(): string {
  keysMade += 1;
  return `row-${keysMade}`;
}

/**
 * Keys for rows that have no name of their own, so that what is typed or has the focus in one stays in it while others
 * come, go and change places. Rows that were put there otherwise have the key of their place.
 */
export function useRows<Row>(rows: readonly Row[], onChange: (rows: Row[]) => void): EditedRows<Row> {
  const [keys, setKeys] = useState<readonly string[]>(() => rows.map(newKey));
  const keyed = rows.map((row, index) => ({ row, key: keys[index] ?? `place-${index}` }));
  const put = (next: typeof keyed) => {
    setKeys(next.map(({ key }) => key));
    onChange(next.map(({ row }) => row));
  };
  return {
    rows: keyed,
    add: (row) => put([...keyed, { row, key: newKey() }]),
    change: (index, row) => put(keyed.map((each, at) => (at === index ? { ...each, row } : each))),
    remove: (index) => put(keyed.filter((_, at) => at !== index)),
    move(index, to) {
      const others = keyed.filter((_, at) => at !== index);
      put([...others.slice(0, to), ...keyed.slice(index, index + 1), ...others.slice(to)]);
    },
  };
}
