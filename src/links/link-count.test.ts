import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { noInstanceLimits } from "../../tests/support/instance-limits.ts";
import { copyLink, type LinkWorld, openLinkWorld, refusal } from "../../tests/support/links.ts";
import { countLinks, countNextLinks, startLinkCount } from "../access/link-count.ts";
import { countOf, type OwnLimits, storeInstanceLimits } from "../access/workspace-limits.ts";
import { deleteDomain } from "../domains/delete-domain.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { deleteLinks } from "./delete-links.ts";

const url = "https://example.com/";
/** Above the limits at which links are counted again. */
const large: OwnLimits = { links: 20_000 };

describe.each([...engines])("the stored number of links on %s", (engine) => {
  let world: LinkWorld;
  beforeAll(async () => {
    world = await openLinkWorld(engine);
  });
  afterAll(() => world.close());

  const setLimits = (workspaceId: number, limits: OwnLimits) =>
    world.deps.db
      .updateTable("workspaces")
      .set({ limits: JSON.stringify(limits) })
      .where("id", "=", workspaceId)
      .execute();
  async function storedCount(workspaceId: number): Promise<number | null> {
    const stored = world.deps.db.selectFrom("workspaces").select("linkCount").where("id", "=", workspaceId);
    return (await stored.executeTakeFirstOrThrow()).linkCount;
  }

  test("stays right while links are created, refused and deleted at the same time", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    await setLimits(workspaceId, large);
    const { slug } = domain;
    const first = await createLink(world.deps, actor, { url, domain: slug, key: "taken" });
    const bulk = await createLinks(
      world.deps,
      actor,
      [1, 2, 3, 4].map(() => ({ url, domain: slug })),
    );

    const outcomes = await Promise.all([
      ...[1, 2, 3].map(() => refusal(createLink(world.deps, actor, { url, domain: slug }))),
      refusal(createLink(world.deps, actor, { url, domain: slug, key: "taken" })),
      refusal(deleteLinks(world.deps, actor, [...bulk.links.slice(0, 2).map(({ id }) => id), "link_unknown"])),
      refusal(deleteLink(world.deps, actor, first.id)),
      refusal(deleteLink(world.deps, actor, "link_unknown")),
    ]);

    expect(outcomes.filter((outcome) => outcome === "none").length).toBeGreaterThanOrEqual(5);
    expect(await storedCount(workspaceId)).toBe(await countOf(world.deps.db, workspaceId, "links"));
    await deleteDomain(world.deps, actor, slug);
    expect(await storedCount(workspaceId)).toBe(0);
  });

  test("refuses at a large limit without counting, and is forgotten while there is no limit", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    const create = () => createLink(world.deps, actor, { url, domain: domain.slug });
    await setLimits(workspaceId, large);
    await create();
    await world.deps.db.updateTable("workspaces").set({ linkCount: 20_000 }).where("id", "=", workspaceId).execute();

    expect(await refusal(create())).toBe("conflict");
    await setLimits(workspaceId, {});
    await create();
    expect(await storedCount(workspaceId)).toBe(null);
    await setLimits(workspaceId, large);
    await create();
    expect(await storedCount(workspaceId)).toBe(3);
  });

  test("is counted outside of transactions, while links are created and deleted, and refuses nothing in that time", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    const { db } = world.deps;
    const create = () => createLink(world.deps, actor, { url, domain: domain.slug });
    const [first, second] = [await create(), await create(), await create()];
    await setLimits(workspaceId, large);
    await startLinkCount(db, workspaceId);
    const before = await create();
    await deleteLinks(world.deps, actor, [first.id, second.id]);

    await Promise.all([
      countNextLinks({ db, reads: db }),
      create(),
      deleteLink(world.deps, actor, before.id),
      create(),
    ]);
    await countNextLinks({ db, reads: db });

    expect(await storedCount(workspaceId)).toBe(3);
    expect(await countLinks(db, workspaceId)).toBe(3);
    expect(await countNextLinks({ db, reads: db })).toBe(false);
  });

  test("needs no query that may take long while no count has begun", async () => {
    const { db } = world.deps;
    const reads = db.withPlugin({
      transformQuery: () => {
        throw new Error("The thread for long queries would start.");
      },
      transformResult: async ({ result }) => result,
    });

    expect(await countNextLinks({ db, reads })).toBe(false);
  });

  test("does not exceed a small limit while it is counted", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    const create = () => refusal(createLink(world.deps, actor, { url, domain: domain.slug }));
    await create();
    await setLimits(workspaceId, { links: 2 });
    await startLinkCount(world.deps.db, workspaceId);

    expect([await create(), await create()]).toEqual(["none", "conflict"]);
    expect(await storedCount(workspaceId)).toBe(2);
  });

  test("stays right when a workspace is far beyond a small limit, and is then counted only up to it", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    const create = () => createLink(world.deps, actor, { url, domain: domain.slug });
    await setLimits(workspaceId, large);
    for (let link = 0; link < 5; link++) await create();
    await setLimits(workspaceId, { links: 2 });

    expect(await countLinks(world.deps.db, workspaceId, 2)).toBe(3);
    expect(await refusal(create())).toBe("conflict");
    expect(await storedCount(workspaceId)).toBe(5);
  });

  test("is begun by a start with a new limit for all workspaces", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { db } = world.deps;
    await createLink(world.deps, actor, { url, domain: domain.slug });

    await storeInstanceLimits(db, { ...noInstanceLimits, WAYPOST_MAX_LINKS: 20_000 });
    while (await countNextLinks({ db, reads: db }));

    expect(await storedCount(actor.workspaceId)).toBe(1);
    await storeInstanceLimits(db, noInstanceLimits);
  });

  test("is corrected at a small limit", async () => {
    const { actor, domain } = await world.newWorkspace();
    const { workspaceId } = actor;
    await setLimits(workspaceId, { links: 3 });
    const { id } = await createLink(world.deps, actor, { url, domain: domain.slug });
    await world.deps.db.updateTable("workspaces").set({ linkCount: 3 }).where("id", "=", workspaceId).execute();
    await copyLink(world.deps.db, id, 1);

    expect(await refusal(createLink(world.deps, actor, { url, domain: domain.slug }))).toBe("none");
    expect(await refusal(createLink(world.deps, actor, { url, domain: domain.slug }))).toBe("conflict");
    expect(await storedCount(workspaceId)).toBe(3);
  });
});
