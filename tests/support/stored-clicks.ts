import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { TestService } from "./server.ts";

/** A click in the store, with the token that its visitor put into the query (`?t=…`). */
type StoredClick = { id: string; token: number; key: string; linkId: string; time: number; bot: string };

/** All clicks in the store of a stopped server. */
export async function storedClicks(server: TestService): Promise<StoredClick[]> {
  const instance = await DuckDBInstance.create(join(server.data, "clicks.duckdb"), { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    'SELECT "id"::VARCHAR, "url", "key", "linkId", "time", "bot" FROM clicks',
  );
  const clicks = result.getRows().map(([id, url, key, linkId, time, bot]) => ({
    id: String(id),
    token: Number(new URL(String(url)).searchParams.get("t")),
    key: String(key),
    linkId: String(linkId),
    time: Number(time),
    bot: String(bot),
  }));
  connection.closeSync();
  instance.closeSync();
  return clicks;
}
