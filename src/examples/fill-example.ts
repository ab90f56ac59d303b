/**
 * Fills example workspaces with links and a year of clicks, in steps that are safe to repeat.
 *
 * 1. The row in `examples` is the record of the task; filledAt ends it. A deleted workspace has no row.
 * 2. The clicks never pass through a spool, which takes only current ones. The store process generates them from a plan
 *    and inserts them as batches of a spool that only this example has, so that a repeated call adds nothing.
 * 3. Clicks and counters change beside the spools' readers (App.readersLock), so that no comparison sees one without
 *    the other. The counters are set, not raised.
 * 4. The owner may change the workspace before it is filled. What then has no place is left out, so that no example
 *    keeps the others waiting.
 * 5. The links are created in the order of their ages, so that lists by id, newest first, agree with the creation times
 *    that the links get at the end.
 * 6. The deletion of the workspace erases its clicks a minute later (links/erase-workspace.ts), longer than a batch
 *    that had begun before.
 */

import type { Actor } from "../access/actor.ts";
import type { ReadWriteLock } from "../base/read-write-lock.ts";
import { dayMs } from "../base/time.ts";
import type { ClickTarget } from "../clicks/click.ts";
import type { GeneratedCounts, SyntheticPlan } from "../clicks/insert-synthetic.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { transact } from "../database/transact.ts";
import { registerSpool } from "../links/counters.ts";
import { createLinks } from "../links/create-links.ts";
import { createFolder } from "../links/folders.ts";
import type { LinkDeps } from "../links/new-links.ts";
import { foldName } from "../links/object-names.ts";
import { createTag } from "../links/tags.ts";
import { exampleDomain } from "./create-example.ts";
import { type ExampleLink, exampleFolders, exampleLinks, exampleTags } from "./example-content.ts";

/** Clicks of an example, those of bots included. */
const exampleClicks = 50_000;
const days = 365;
/** The share of a link's mobile visitors who scan its code. */
const printedQrShare = 0.7;
const otherQrShare = 0.04;

const oldestFirst = exampleLinks.toSorted((one, other) => other.ageDays - one.ageDays);

/** Dependencies of the task. */
type FillDeps = LinkDeps & { pipeline: Pick<Pipeline, "insertSynthetic">; readersLock: ReadWriteLock };

type ExampleRow = { workspaceId: number; userId: string; spoolId: string; createdAt: number };

/** Fills the oldest example that is not ready; "again" when it has done so. */
export async function fillNextExample(deps: FillDeps): Promise<"again" | "idle"> {
  const example = await deps.db
    .selectFrom("examples")
    .select(["workspaceId", "userId", "spoolId", "createdAt"])
    .where("filledAt", "is", null)
    .orderBy("createdAt")
    .limit(1)
    .executeTakeFirst();
  if (example === undefined) return "idle";
  await createContent(deps, example);
  const links = await findLinks(deps, example);
  const plan = planOf(example, links);
  // Before the store has clicks of this spool (spools/foreign-store.ts).
  await registerSpool(deps.db, example.spoolId);
  await deps.readersLock.shared(async () => {
    const counts = await deps.pipeline.insertSynthetic(plan);
    await finish(deps, example, links, counts);
  });
  return "again";
}

/** Creates the tags, folders and links that are missing, unless the owner has deleted their domain. */
async function createContent(deps: FillDeps, { workspaceId, userId }: ExampleRow): Promise<void> {
  const actor: Actor = { workspaceId, userId, role: "owner", scopes: null, expiresAt: null };
  const { db } = deps;
  const namesOf = async (table: "tags" | "folders") => {
    const rows = await db
      .selectFrom(table)
      .select(["id", "foldedName"])
      .where("workspaceId", "=", workspaceId)
      .execute();
    return new Map(rows.map(({ id, foldedName }) => [foldedName, id]));
  };
  const tags = await namesOf("tags");
  for (const tag of exampleTags) if (!tags.has(foldName(tag.name))) await createTag(deps, actor, tag);
  const folders = await namesOf("folders");
  for (const name of exampleFolders.filter((each) => !folders.has(foldName(each)))) {
    const { id } = await createFolder(deps, actor, { name, description: null, accessLevel: null });
    folders.set(foldName(name), id);
  }
  const domain = await db
    .selectFrom("domains")
    .select("slug")
    .where("workspaceId", "=", workspaceId)
    .where("slug", "=", exampleDomain(workspaceId))
    .executeTakeFirst();
  // Without a domain, the links would take keys of the domain that all workspaces share.
  if (domain === undefined) return;
  // One transaction creates all links, and refuses those whose keys exist.
  await createLinks(
    deps,
    actor,
    oldestFirst.map(({ key, path, title, folder, tags: tagNames }) => ({
      url: `https://www.example.com/${path}`,
      domain: domain.slug,
      key,
      title,
      tagNames: [...tagNames],
      ...(folder !== undefined && { folderId: folders.get(foldName(folder)) }),
    })),
  );
}

/** A link of the example that exists, and its entry in the table. */
type FoundLink = { entry: ExampleLink; target: ClickTarget };

/** The links of the example that exist, in the order of the table. */
async function findLinks({ db }: FillDeps, { workspaceId }: ExampleRow): Promise<FoundLink[]> {
  const rows = await db
    .selectFrom("links")
    .innerJoin("domains", "domains.id", "links.domainId")
    .select(["links.id as linkId", "links.domainId", "domains.slug as domain", "links.key", "links.url"])
    .where("links.workspaceId", "=", workspaceId)
    .where("domains.slug", "=", exampleDomain(workspaceId))
    .where(
      "links.key",
      "in",
      exampleLinks.map(({ key }) => key),
    )
    .execute();
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return exampleLinks.flatMap((entry) => {
    const row = byKey.get(entry.key);
    return row === undefined ? [] : [{ entry, target: { ...row, workspaceId } }];
  });
}

function planOf({ workspaceId, spoolId, createdAt }: ExampleRow, links: readonly FoundLink[]): SyntheticPlan {
  const targets = links.map(({ entry, target }) => ({
    ...target,
    qrShare: entry.isPrinted ? printedQrShare : otherQrShare,
    // The day after the creation, so that no click is earlier.
    firstDay: Math.max(0, days - entry.ageDays + 1),
  }));
  const clicks = links.length === 0 ? 0 : exampleClicks;
  return { clicks, from: createdAt - days * dayMs, to: createdAt, seed: workspaceId, spoolId, links: targets };
}

/** Sets the counters of the links and their creation, which precedes their first clicks. */
async function finish(
  { db, now }: FillDeps,
  example: ExampleRow,
  links: readonly FoundLink[],
  { clicks, lastClicked }: GeneratedCounts,
): Promise<void> {
  await transact(db, async (tx) => {
    for (const [index, { entry, target }] of links.entries()) {
      const createdAt = example.createdAt - entry.ageDays * dayMs;
      const last = lastClicked[index] || null;
      await tx
        .updateTable("links")
        .set({ clicks: clicks[index] ?? 0, lastClicked: last, createdAt, updatedAt: createdAt })
        .where("id", "=", target.linkId)
        .execute();
      // The history says the same.
      await tx
        .updateTable("events")
        .set({ at: createdAt })
        .where("objectId", "=", target.linkId)
        .where("type", "=", "link.created")
        .execute();
    }
    await tx.updateTable("examples").set({ filledAt: now() }).where("workspaceId", "=", example.workspaceId).execute();
  });
}
