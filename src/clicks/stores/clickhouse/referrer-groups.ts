import { referrerGroupOf } from "../../referrer-group.ts";
import type { ClickHouse, Row } from "./client.ts";
import { localTable, type Topology } from "./schema.ts";
import { binding, type Statement } from "./sql.ts";

/** The most hosts that are in memory at the same time. Visitors choose them, so there may be millions. */
const pageHostsMax = 50_000;

/** The rows that answer a query. */
type Read = (sql: string, parameters: Statement["parameters"]) => Promise<readonly Row[]>;

/** What a correction uses; `hostsMax` is the bound of a page, the usual one when left out. */
type Deps = { clickHouse: Pick<ClickHouse, "run">; read: Read; topology: Topology; hostsMax?: number };

type Correction = { host: string; refererGroup: string; channel: string };

/**
 * Corrects the groups and channels of stored referrers after the table of services has changed. Several processes may do
 * it at once, with the same result.
 * Weakness: each page reads the referrers of all clicks again. Millions of hosts take minutes, in which the clicks wait in the
 * spools.
 */
export async function correctReferrerGroups({ clickHouse, read, topology, hostsMax = pageHostsMax }: Deps) {
  let wrong: Correction[] = [];
  let after: string | undefined;
  for (let isLast = false; !isLast; ) {
    const page = await readPage(read, after, hostsMax);
    wrong.push(...correctionsOf(page));
    after = String(page.at(-1)?.["referer"]);
    isLast = page.length < hostsMax;
    // Each update rewrites parts of the table, so small ones of several pages are made together.
    if (wrong.length > 0 && (isLast || wrong.length >= hostsMax)) {
      await apply(clickHouse, topology, wrong);
      wrong = [];
    }
  }
}

/** The next hosts. Grouped and sorted, ClickHouse uses its disk when they need too much memory, which DISTINCT cannot. */
async function readPage(read: Read, after: string | undefined, hostsMax: number): Promise<readonly Row[]> {
  const { parameters, bind } = binding();
  const where = after === undefined ? "" : `WHERE referer > ${bind("String", after)}`;
  return await read(
    `SELECT referer, min(refererGroup) AS firstGroup, max(refererGroup) AS lastGroup,
  min(channel) AS firstChannel, max(channel) AS lastChannel
FROM clicks ${where} GROUP BY referer ORDER BY referer LIMIT ${bind("UInt64", hostsMax)}`,
    parameters,
  );
}

function correctionsOf(page: readonly Row[]): Correction[] {
  return page.flatMap(({ referer, firstGroup, lastGroup, firstChannel, lastChannel }) => {
    const host = String(referer);
    const { refererGroup, channel } = referrerGroupOf(host);
    const isRight = [firstGroup, lastGroup].every((stored) => stored === refererGroup);
    return isRight && firstChannel === channel && lastChannel === channel ? [] : [{ host, refererGroup, channel }];
  });
}

async function apply(
  clickHouse: Pick<ClickHouse, "run">,
  topology: Topology,
  wrong: readonly Correction[],
): Promise<void> {
  const { parameters, bind } = binding();
  const list = (values: string[]) => bind("Array(String)", values);
  const hosts = list(wrong.map(({ host }) => host));
  const groups = list(wrong.map(({ refererGroup }) => refererGroup));
  const channels = list(wrong.map(({ channel }) => channel));
  await clickHouse.run({
    sql: `ALTER TABLE ${localTable("clicks", topology)} UPDATE
refererGroup = transform(toString(referer), ${hosts}, ${groups}, toString(refererGroup)),
channel = transform(toString(referer), ${hosts}, ${channels}, toString(channel))
WHERE referer IN ${hosts}`,
    parameters,
  });
}
