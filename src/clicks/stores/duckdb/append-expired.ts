import type { DuckDBConnection } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import type { ExpiredCount } from "../../move.ts";
import { sqlNames } from "./star-schema.ts";
import type { SurrogateKeys } from "./surrogate-keys.ts";

const noTexts: Omit<Click, keyof ExpiredCount> = {
  ...{ id: "", url: "", country: "", region: "", city: "", continent: "", device: "", browser: "", os: "" },
  ...{ referer: "", refererUrl: "", language: "", trigger: "link", bot: "", visitor: "" },
  ...{ utm_source: "", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" },
};

/** Appends counts to the expired rollup, within the caller's transaction. */
export async function appendExpired(
  connection: DuckDBConnection,
  linkKeys: SurrogateKeys,
  counts: readonly ExpiredCount[],
): Promise<void> {
  const keys = await linkKeys.keysOf(counts.map((count) => ({ ...noTexts, ...count })));
  const appender = await connection.createAppender(sqlNames.expiredRollup);
  try {
    for (const [index, { workspaceId, time, isBot, clicks }] of counts.entries()) {
      const key = keys[index];
      if (key === undefined) throw new Error("A link has no surrogate key.");
      appender.appendInteger(workspaceId);
      appender.appendInteger(key);
      appender.appendBigInt(BigInt(time));
      appender.appendUTinyInt(isBot ? 1 : 0);
      appender.appendBigInt(BigInt(clicks));
      appender.endRow();
    }
  } finally {
    appender.closeSync();
  }
}
