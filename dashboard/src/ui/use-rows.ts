import { useState } from "react";

/** Rows that a person edits, each with a stable key, and the ways to change them. */
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
 * Gives rows without ids stable keys, so that typed text and focus stay with a row while others are added, removed or
 * moved. Rows that come from outside have the key of their position.
 */
export function useRows<Row>(rows: readonly Row[], onChange: (rows: Row[]) => void): EditedRows<Row> {
  const [keys, setKeys] = useState<readonly string[]>(() => rows.map(newKey));
  const keyed = rows.map((row, index) => ({ row, key: keys[index] ?? `index-${index}` }));
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
