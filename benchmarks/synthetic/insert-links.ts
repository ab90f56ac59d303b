import { firstIdAt } from "../../src/base/ids.ts";
import { dayMs, hourMs } from "../../src/base/time.ts";
import type { ClickTarget, SpooledClick } from "../../src/clicks/click.ts";
import { enrich } from "../../src/clicks/enrich.ts";
import type { Db } from "../../src/database/database.ts";
import type { Tx } from "../../src/database/outbox.ts";
import { insertRows } from "../../src/database/prepared.ts";
import { transact } from "../../src/database/transact.ts";
import { urlHashOf } from "../../src/links/destination-url.ts";
import { discardLookupFile } from "../../src/redirects/lookup-file/active-lookup-file.ts";
import type { TrafficLink } from "./click-batch.ts";
import type { GeneratedWorkspace } from "./insert-workspaces.ts";
import type { LinkProfiles } from "./link-profiles.ts";
import { idEnd, linkTexts } from "./names.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Links of one transaction: each transaction updates the search index once. */
const linksPerCommit = 50_000;
/** PostgreSQL takes 65,535 parameters per statement, and a link has 17. */
const linksPerStatement = 2_000;
/** Shares of the links on the workspace's first domain, without a folder, and without a tag. */
const firstDomainShare = 0.7;
const noFolderShare = 0.4;
const noTagShare = 0.5;
/** The share of links that are printed as QR codes, and the shares of mobile visitors who scan these and the others. */
const printedShare = 0.08;
const printedQrShare = 0.6;
const otherQrShare = 0.015;
/** The longest time between a link's creation and its first click. */
const leadMs = 12 * hourMs;

const flags = { archived: 0, proxy: 0, rewrite: 0, doIndex: 0, publicStats: 0, trackConversion: 0 } as const;
const noVisit: Omit<SpooledClick, keyof ClickTarget> = {
  ...{ id: "", time: 0, country: "", region: "", city: "", continent: "", referer: "", agent: "", language: "" },
  ...{ trigger: "link", bot: "", visitor: "" },
};

type Created = { link: TrafficLink; createdAt: number; folderId: string | null; tagId: string | undefined };

/** The creator of the links, and their earliest creation. */
type LinkOptions = { userId: string; from: number; progress(done: number): void };

/**
 * Inserts links for the profiles into the workspaces, oldest first, and returns them in the order of the profiles. The
 * links have no history and no clicks.
 */
export async function insertLinks(
  db: Db,
  workspaces: readonly GeneratedWorkspace[],
  profiles: LinkProfiles,
  { userId, from, progress }: LinkOptions,
  random: SeededRandom,
): Promise<TrafficLink[]> {
  const created = Array.from(profiles.workspaces, (workspaceIndex, index) => {
    const workspace = workspaces[workspaceIndex];
    if (workspace === undefined) throw new Error(`There is no workspace ${workspaceIndex} for link ${index}.`);
    return buildLink(index, workspace, firstDay(from, profiles.birthDays[index] ?? 0), from, random);
  });
  const byAge = created.toSorted((one, other) => one.createdAt - other.createdAt);
  for (let start = 0; start < byAge.length; start += linksPerCommit) {
    const part = byAge.slice(start, start + linksPerCommit);
    await transact(db, async (tx) => {
      await discardLookupFile(tx);
      for (let first = 0; first < part.length; first += linksPerStatement) {
        await insertLinkRows(tx, part.slice(first, first + linksPerStatement), userId);
      }
    });
    progress(start + part.length);
  }
  return created.map(({ link }) => link);
}

async function insertLinkRows(tx: Tx, created: readonly Created[], userId: string): Promise<void> {
  const rows = created.map((one) => toRow(one, userId));
  await insertRows(tx, "links", rows);
  const tags = created.flatMap(({ link, tagId }) =>
    tagId === undefined ? [] : [{ linkId: link.linkId, tagId, position: 0 }],
  );
  if (tags.length > 0) await insertRows(tx, "linkTags", tags);
}

function firstDay(from: number, day: number): number {
  return Math.max(from, from - (from % dayMs) + day * dayMs);
}

function buildLink(
  number: number,
  { workspaceId, host, domains, folderIds, tagIds }: GeneratedWorkspace,
  clickedFrom: number,
  from: number,
  random: SeededRandom,
): Created {
  const createdAt = Math.max(from, clickedFrom - random.below(leadMs));
  const [firstDomain] = domains;
  const domain = random.next() < firstDomainShare && firstDomain !== undefined ? firstDomain : random.one(domains);
  const { key, url } = linkTexts(number, host, random);
  const linkId = firstIdAt("link", createdAt) + idEnd(random);
  const target = { workspaceId, linkId, ...domain, key, url };
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = enrich({ ...noVisit, ...target });
  const qrShare = random.next() < printedShare ? printedQrShare : otherQrShare;
  return {
    link: { ...target, utm_source, utm_medium, utm_campaign, utm_term, utm_content, qrShare },
    createdAt,
    folderId: random.next() < noFolderShare ? null : random.one(folderIds),
    tagId: random.next() < noTagShare ? undefined : random.one(tagIds),
  };
}

function toRow({ link, createdAt, folderId }: Created, userId: string) {
  const { linkId, workspaceId, domainId, key, url } = link;
  // The keys are lower case, so they are their own folded forms.
  const texts = { key, foldedKey: key, url, urlHash: urlHashOf(url) };
  return { id: linkId, workspaceId, userId, domainId, ...texts, folderId, ...flags, createdAt, updatedAt: createdAt };
}
