import { expect } from "bun:test";
import { browser, type TestService } from "./server.ts";

/** Visits links again and again until the returned function is called, which returns the number of visits. */
export function visitUntilStopped(server: TestService, keys: readonly string[]): () => Promise<number> {
  let answered = 0;
  let isStopped = false;
  const visiting = (async () => {
    while (!isStopped) {
      for (const key of keys) {
        const { status } = await server.visit(`/${key}`, { headers: browser });
        expect(status).toBe(302);
        answered++;
      }
      await Bun.sleep(10);
    }
  })();
  return async () => {
    isStopped = true;
    await visiting;
    return answered;
  };
}
