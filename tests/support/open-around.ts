import { afterAll, beforeAll } from "bun:test";

/**
 * Opens a world before the tests of a `describe` or a file, and closes it after them. Returns a function that returns
 * the world. Before the first test, that function throws.
 */
export function openAround<World extends { close(): Promise<void> }>(open: () => Promise<World>): () => World {
  let opened: World | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error("The world is opened before the first test.");
    return opened;
  };
}
