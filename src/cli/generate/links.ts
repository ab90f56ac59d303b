import { firstIdAt } from "../../base/ids.ts";
import { dayMs, hourMs } from "../../base/time.ts";
import type { ClickTarget, SpooledClick } from "../../clicks/click.ts";
import { enrich } from "../../clicks/enrich.ts";
import type { TrafficLink } from "../../clicks/generate/drafts.ts";
import type { LinkLives } from "../../clicks/generate/link-lives.ts";
import type { SeededRandom } from "../../clicks/generate/random.ts";
import type { Db } from "../../database/database.ts";
import type { Tx } from "../../database/outbox.ts";
import { insertRows } from "../../database/prepared.ts";
import { transact } from "../../database/transact.ts";
import { urlHashOf } from "../../links/destination-url.ts";
import { disownLookupFile } from "../../redirects/lookup-file/followed-file.ts";
import { idEnd, linkTexts } from "./names.ts";
import type { GeneratedWorkspace } from "./workspaces.ts";

/** Links of one transaction: the search index is written once for each. */
const linksPerCommit = 50_000;
/** PostgreSQL takes 65,535 parameters with a statement, and a link has 17. */
const linksPerStatement = 2_000;
/** The part of the links on a workspace's first domain, and in no folder, and without a tag. */
const firstDomainPart = 0.7;
const unfiledPart = 0.4;
const untaggedPart = 0.5;
/** Links that are printed as QR codes, and the part of their visitors on phones that scan them; and of all others. */
const printedPart = 0.08;
const printedQrPart = 0.6;
const otherQrPart = 0.015;
/** A link is there for so long at most before it is clicked. */
const leadMs = 12 * hourMs;

const flags = { archived: 0, proxy: 0, rewrite: 0, doIndex: 0, publicStats: 0, trackConversion: 0 } as const;
const noVisit: Omit<SpooledClick, keyof ClickTarget> = {
  ...{ id: "", time: 0, country: "", region: "", city: "", continent: "", referer: "", agent: "", language: "" },
  ...{ trigger: "link", bot: "", visitor: "" },
};

type Made = { link: TrafficLink; createdAt: number; folderId: string | null; tagId: string | undefined };

/** Who makes the links, and from when on they may be there. */
type Making = { userId: string; from: number; progress(made: number): void };

/**
 * Makes the links whose lives are given in the workspaces, by age, so that the newest are the last; returns them in the
 * order of their lives. They have neither a history nor clicks.
 */
export async function makeLinks(
  db: Db,
  workspaces: readonly GeneratedWorkspace[],
  lives: LinkLives,
  { userId, from, progress }: Making,
  random: SeededRandom,
): Promise<TrafficLink[]> {
  const made = Array.from(lives.workspaces, (workspace, index) => {
    const place = workspaces[workspace];
    if (place === undefined) throw new Error(`There is no workspace ${workspace} for link ${index}.`);
    return draftLink(index, place, firstDay(from, lives.birthDays[index] ?? 0), from, random);
  });
  const byAge = made.toSorted((one, other) => one.createdAt - other.createdAt);
  for (let start = 0; start < byAge.length; start += linksPerCommit) {
    const part = byAge.slice(start, start + linksPerCommit);
    await transact(db, async (tx) => {
      await disownLookupFile(tx);
      for (let first = 0; first < part.length; first += linksPerStatement) {
        await storeLinks(tx, part.slice(first, first + linksPerStatement), userId);
      }
    });
    progress(start + part.length);
  }
  return made.map(({ link }) => link);
}

async function storeLinks(tx: Tx, made: readonly Made[], userId: string): Promise<void> {
  const rows = made.map((one) => toRow(one, userId));
  await insertRows(tx, "links", rows);
  const tags = made.flatMap(({ link, tagId }) =>
    tagId === undefined ? [] : [{ linkId: link.linkId, tagId, position: 0 }],
  );
  if (tags.length > 0) await insertRows(tx, "linkTags", tags);
}

function firstDay(from: number, day: number): number {
  return Math.max(from, from - (from % dayMs) + day * dayMs);
}

function draftLink(
  number: number,
  { workspaceId, host, domains, folderIds, tagIds }: GeneratedWorkspace,
  clickedFrom: number,
  from: number,
  random: SeededRandom,
): Made {
  const createdAt = Math.max(from, clickedFrom - random.below(leadMs));
  const [firstDomain] = domains;
  const domain = random.next() < firstDomainPart && firstDomain !== undefined ? firstDomain : random.one(domains);
  const { key, url } = linkTexts(number, host, random);
  const linkId = firstIdAt("link", createdAt) + idEnd(random);
  const target = { workspaceId, linkId, ...domain, key, url };
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = enrich({ ...noVisit, ...target });
  const qrPart = random.next() < printedPart ? printedQrPart : otherQrPart;
  return {
    link: { ...target, utm_source, utm_medium, utm_campaign, utm_term, utm_content, qrPart },
    createdAt,
    folderId: random.next() < unfiledPart ? null : random.one(folderIds),
    tagId: random.next() < untaggedPart ? undefined : random.one(tagIds),
  };
}

function toRow({ link, createdAt, folderId }: Made, userId: string) {
  const { linkId, workspaceId, domainId, key, url } = link;
  // The keys are of lower-case letters, so that they are their own folded forms.
  const texts = { key, foldedKey: key, url, urlHash: urlHashOf(url) };
  return { id: linkId, workspaceId, userId, domainId, ...texts, folderId, ...flags, createdAt, updatedAt: createdAt };
}
