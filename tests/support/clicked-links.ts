import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../src/access/actor.ts";
import { dayMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import type { Engine } from "../../src/database/engine.ts";
import { createDomain } from "../../src/domains/create-domain.ts";
import type { DomainRow } from "../../src/domains/domains.ts";
import { createLink } from "../../src/links/create-link.ts";
import { deleteLink } from "../../src/links/delete-link.ts";
import { createFolder } from "../../src/links/folders.ts";
import type { Link } from "../../src/links/link.ts";
import { createTag } from "../../src/links/tags.ts";
import { pick, randomClicks, seededRandom } from "./clicks.ts";
import { type DomainWorld, openDomainWorld } from "./domains.ts";

/** A workspace with a month of clicks on its links, and a workspace with 50 of the same clicks and no links. */
export type ClickedWorld = {
  world: DomainWorld;
  store: ClickStore;
  owner: Actor;
  /** The owner of the other workspace. */
  stranger: Actor;
  domain: DomainRow;
  /** Four links: the first and second are in the folder, the second and third have the tag. */
  links: Link[];
  /** A deleted link that was clicked, too. */
  deleted: Link;
  folder: { id: string };
  tag: { id: string };
  /** Human clicks of the last 29 days, within the default period; some visitors return often. */
  clicks: Click[];
  close(): Promise<void>;
};

/** Opens a world on the given relational engine, with clicks in DuckDB. */
export async function openClickedWorld(engine: Engine): Promise<ClickedWorld> {
  const world = await openDomainWorld(engine);
  const path = mkdtempSync(join(tmpdir(), "waypost-analytics-"));
  const store = await openDuckDbStore({ path: join(path, "clicks.duckdb"), threads: 1 });
  const [owner, stranger] = [await world.newOwner(), await world.newOwner()];
  const domain = await createDomain(world, owner, { slug: "go.example.com" });
  const newLink = (key: string) =>
    createLink(
      {
        db: world.db,
        now: world.now,
        config: {
          WAYPOST_APP_SCHEMES: [],
          WAYPOST_UNVERIFIED_REDIRECTS: true,
          WAYPOST_URL: new URL("https://links.example.com"),
        },
      },
      owner,
      {
        ...{ url: "https://example.com/", domain: domain.slug, key, externalId: `ext_${key}`, tenantId: `of ${key}` },
      },
    );
  const links: Link[] = [];
  for (let number = 0; number < 4; number++) links.push(await newLink(`link${number}`));
  const deleted = await newLink("deleted");
  const folder = await createFolder(world, owner, { name: "Spring", description: null, accessLevel: "write" });
  const tag = await createTag(world, owner, { name: "Mail", color: "red" });
  await createTag(world, owner, { name: "Unused", color: "blue" });
  for (const link of links.slice(0, 2)) {
    await world.db.updateTable("links").set({ folderId: folder.id }).where("id", "=", link.id).execute();
  }
  for (const link of links.slice(1, 3)) {
    await world.db.insertInto("linkTags").values({ linkId: link.id, tagId: tag.id, position: 0 }).execute();
  }
  const clicks = someClicks({ now: world.now(), workspaceId: owner.workspaceId }, [...links, deleted], domain);
  await store.insert({ spoolId: "spool", from: 0, to: 1 }, clicks);
  const foreign = clicks.slice(0, 50).map((click) => ({ ...click, workspaceId: stranger.workspaceId }));
  await store.insert({ spoolId: "spool", from: 1, to: 2 }, foreign);
  await deleteLink(world, owner, deleted.id);
  return {
    ...{ world, store, owner, stranger, domain, links, deleted, folder, tag, clicks },
    async close() {
      await store.close();
      await world.close();
      rmSync(path, { recursive: true });
    },
  };
}

function someClicks(
  { now, workspaceId }: { now: number; workspaceId: number },
  links: readonly Link[],
  domain: DomainRow,
): Click[] {
  const random = seededRandom(3);
  const all = randomClicks(random, 1_500, { from: now - 29 * dayMs, to: now }, { workspaceId, bot: "" });
  return all.map((click) => ({
    ...click,
    linkId: pick(random, links).id,
    domainId: pick(random, [domain.id, domain.id, "dom_gone"]),
    domain: "old.example.com",
    visitor: random() < 0.1 ? "" : `100000000000000${Math.floor(random() * 16).toString(16)}`,
  }));
}
