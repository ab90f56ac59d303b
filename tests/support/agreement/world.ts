import type { Actor } from "../../../src/access/actor.ts";
import { dayMs, hourMs, minuteMs } from "../../../src/base/time.ts";
import type { Click } from "../../../src/clicks/click.ts";
import type { ClickStore } from "../../../src/clicks/store.ts";
import { createDomain } from "../../../src/domains/create-domain.ts";
import { deleteDomain } from "../../../src/domains/delete-domain.ts";
import { updateDomain } from "../../../src/domains/update-domain.ts";
import { createLink } from "../../../src/links/create-link.ts";
import { deleteLink } from "../../../src/links/delete-link.ts";
import { createFolder } from "../../../src/links/folders.ts";
import { createTag } from "../../../src/links/tags.ts";
import { updateLink } from "../../../src/links/update-link.ts";
import { pick, type Random, randomClick, randomReferers, trickyTexts } from "../clicks.ts";
import { type DomainWorld, openDomainWorld } from "../domains.ts";

/** A link in its current state, or in its state when it was deleted. */
export type PlainLink = {
  id: string;
  externalId: string | undefined;
  tenantId: string | undefined;
  folderId: string | undefined;
  tagIds: string[];
  domainId: string;
  key: string;
  url: string;
  isDeleted: boolean;
};

/** A workspace, with everything that the plain computation needs. */
export type PlainWorkspace = {
  owner: Actor;
  createdAt: number;
  clicks: Click[];
  links: PlainLink[];
  /** The current names of domains by id, without deleted domains. */
  slugs: Map<string, string>;
  folders: { id: string; name: string }[];
  tags: { id: string; name: string; color: string }[];
};

export type AgreementWorld = {
  world: DomainWorld;
  store: ClickStore;
  workspaces: PlainWorkspace[];
  close(): Promise<void>;
};

/** Opens an empty store; `remove` closes and removes it. */
export type OpenAgreementStore = () => Promise<{ store: ClickStore; remove(): Promise<void> }>;

/** TABLE of the clock changes within the year of the clicks. */
const clockChanges = [
  "2025-11-02T06:00Z", // New York, back
  "2026-03-08T07:00Z", // New York, ahead
  "2026-03-29T01:00Z", // Berlin, ahead
  "2026-04-04T15:00Z", // Lord Howe, back by half an hour
  "2026-10-03T15:30Z", // Lord Howe, ahead by half an hour
  "2026-10-25T01:00Z", // Berlin, back
  "2026-11-01T04:30Z", // St John's, back
  "2026-10-29T21:00Z", // Cairo, back over midnight
].map((text) => Date.parse(text));

const spools = ["spool_a", "spool_b", "spool_c"];
const batchClicksMax = 400;
const folderNames = ["Spring", "it's; DROP TABLE folders"];
const tagNames = ["Mail", "Ünïcödé", "(direct)"];

/**
 * Three workspaces with `clicksInAll` clicks of the year before now: most in the first, about 4 % in the last. Each has
 * deleted links, a deleted domain, and links and a domain that were renamed. The clicks arrive in batches from several
 * spools, in random order.
 */
export async function openAgreementWorld(
  random: Random,
  clicksInAll: number,
  open: OpenAgreementStore,
): Promise<AgreementWorld> {
  const world = await openDomainWorld("sqlite");
  world.advance(15 * minuteMs + 7_123);
  const { store, remove } = await open();
  const workspaces: PlainWorkspace[] = [];
  for (const share of [0.63, 0.33, 0.04]) {
    workspaces.push(await newWorkspace(world, random, Math.floor(clicksInAll * share)));
  }
  await insertShuffled(
    store,
    random,
    workspaces.flatMap(({ clicks }) => clicks),
  );
  return {
    ...{ world, store, workspaces },
    async close() {
      await remove();
      await world.close();
    },
  };
}

/** A link, and its names in the clicks before and after its change at `changedAt`. */
type Era = { link: PlainLink; changedAt: number; before: ClickedAs; after: ClickedAs };
type ClickedAs = { domainId: string; domain: string; key: string };

async function newWorkspace(world: DomainWorld, random: Random, count: number): Promise<PlainWorkspace> {
  const owner = await world.newOwner();
  const { workspaceId } = owner;
  const now = world.now();
  const folders = [];
  for (const name of folderNames) {
    folders.push(await createFolder(world, owner, { name, description: null, accessLevel: "write" }));
  }
  const tags = [];
  for (const name of tagNames) tags.push(await createTag(world, owner, { name, color: "red" }));
  const [kept, renamed, gone] = [
    `kept${workspaceId}.example`,
    `renamed${workspaceId}.example`,
    `gone${workspaceId}.example`,
  ];
  const slugs = new Map<string, string>();
  const eras: Era[] = [];
  for (const domain of [kept, renamed, gone]) {
    const { id } = await createDomain(world, owner, { slug: domain });
    if (domain !== gone) slugs.set(id, domain === renamed ? `now-${renamed}` : domain);
    const links = [await rootLink(world, id)];
    for (const key of ["frühling", "a/b", "old", "shared", "last"]) {
      links.push(await newLink(world, owner, random, { domain, key, folders, tags }));
    }
    for (const link of links) {
      const clickedAs = { domainId: id, domain, key: link.key };
      eras.push({ link, changedAt: now - Math.floor(random() * 200 * dayMs), before: clickedAs, after: clickedAs });
    }
  }
  await rename(world, owner, eras, { renamed, kept });
  for (const { link, before } of eras) {
    if (before.domain === gone || link.key === "last") {
      link.isDeleted = true;
      if (before.domain !== gone) await deleteLink(world, owner, link.id);
    }
  }
  await deleteDomain(world, owner, gone);
  const createdAt = workspaceId % 2 === 0 ? now - 500 * dayMs : now;
  await world.db.updateTable("workspaces").set({ createdAt }).where("id", "=", workspaceId).execute();
  const clicks = Array.from({ length: count }, () => newClick(random, now, workspaceId, pick(random, eras)));
  const shown = tags.map(({ id, name, color }) => ({ id, name, color }));
  return {
    ...{ owner, createdAt, clicks, slugs },
    links: eras.map(({ link }) => link),
    folders: folders.map(({ id, name }) => ({ id, name })),
    tags: shown,
  };
}

async function rootLink({ db }: DomainWorld, domainId: string): Promise<PlainLink> {
  const row = db.selectFrom("links").select(["id", "key", "url"]).where("domainId", "=", domainId);
  const none = { externalId: undefined, tenantId: undefined, folderId: undefined, tagIds: [], isDeleted: false };
  return { ...(await row.where("key", "=", "_root").executeTakeFirstOrThrow()), ...none, domainId };
}

async function newLink(
  world: DomainWorld,
  owner: Actor,
  random: Random,
  { domain, key, folders, tags }: { domain: string; key: string; folders: { id: string }[]; tags: { id: string }[] },
): Promise<PlainLink> {
  const folderId = random() < 0.4 ? undefined : pick(random, folders).id;
  const tagIds = tags.map(({ id }) => id).filter(() => random() < 0.4);
  const externalId = `of-${domain}-${key}`;
  const tenantId = pick(random, ["acme", "it's", "100%_"]);
  const url = `https://example.com/${encodeURIComponent(key)}?utm_source=${pick(random, ["mail", "web"])}`;
  const input = { url, domain, key, externalId, tenantId, tagIds, ...(folderId === undefined ? {} : { folderId }) };
  const { id, domainId, ...link } = await createLink(linkDeps(world), owner, input);
  return {
    ...{ id, externalId, tenantId, folderId, tagIds, domainId },
    key: link.key,
    url: link.url,
    isDeleted: false,
  };
}

/** Renames a domain, gives the link "old" of each domain a new key, and moves "a/b" from one domain to another. */
async function rename(
  world: DomainWorld,
  owner: Actor,
  eras: Era[],
  { renamed, kept }: { renamed: string; kept: string },
): Promise<void> {
  const slug = `now-${renamed}`;
  await updateDomain(world, owner, { slug: renamed, changes: { slug } });
  for (const era of eras) {
    const isMoved = era.before.domain === kept && era.before.key === "a/b";
    const domain = era.before.domain === renamed || isMoved ? slug : era.before.domain;
    const key = era.before.key === "old" ? "new" : isMoved ? "moved" : era.before.key;
    if (key !== era.before.key) {
      const changed = await updateLink(linkDeps(world), owner, era.link.id, isMoved ? { key, domain } : { key });
      era.link.key = changed.key;
      era.link.domainId = changed.domainId;
    }
    era.after = { domainId: era.link.domainId, domain, key };
  }
}

function linkDeps({ db, now }: DomainWorld) {
  return {
    db,
    now,
    config: {
      WAYPOST_APP_SCHEMES: [],
      WAYPOST_UNVERIFIED_REDIRECTS: true,
      WAYPOST_URL: new URL("https://links.example.com"),
    },
  };
}

function newClick(random: Random, now: number, workspaceId: number, { link, changedAt, before, after }: Era): Click {
  const time = clickTime(random, now);
  const query = pick(random, [
    "",
    "?utm_source=mail",
    "#top",
    "?a=1,2#top",
    `?q=${encodeURIComponent(pick(random, trickyTexts))}`,
  ]);
  return {
    ...randomClick(random, { from: time, to: time + 1 }, { workspaceId, linkId: link.id }),
    ...(time < changedAt ? before : after),
    url: `https://example.com/${pick(random, ["", "sale", "a,b"])}${query}`,
    // So few that many visitors return, within an hour and in other months.
    visitor:
      random() < 0.1
        ? ""
        : Math.floor(random() * 400 + 1)
            .toString(16)
            .padStart(16, "a"),
    referer: pick(random, randomReferers),
  };
}

/** A time in the last days, near a clock change, exactly between two quarters of an hour, or anywhere in the year. */
function clickTime(random: Random, now: number): number {
  const chance = random();
  const within = (from: number, to: number) => from + Math.floor(random() * (to - from));
  if (chance < 0.2) return within(now - 3 * dayMs, now);
  if (chance < 0.4) {
    const change = pick(random, clockChanges);
    return within(change - 3 * hourMs, change + 3 * hourMs);
  }
  const time = within(now - 385 * dayMs, now - dayMs);
  if (chance > 0.9) return time - (time % (15 * minuteMs)) - pick(random, [0, 0, 1]);
  return time;
}

/** Inserts clicks in random order, and some batches twice, as spool readers do after a crash. */
async function insertShuffled(store: ClickStore, random: Random, clicks: Click[]): Promise<void> {
  const shuffled = clicks.map((click) => ({ click, at: random() })).sort((one, other) => one.at - other.at);
  const positions = new Map<string, number>();
  for (let start = 0; start < shuffled.length; ) {
    const rows = shuffled.slice(start, start + 1 + Math.floor(random() * batchClicksMax)).map(({ click }) => click);
    const spoolId = pick(random, spools);
    const from = positions.get(spoolId) ?? 0;
    const batch = { spoolId, from, to: from + rows.length };
    for (let times = random() < 0.2 ? 2 : 1; times > 0; times--) await store.insert(batch, rows);
    positions.set(spoolId, batch.to);
    start += rows.length;
  }
}
