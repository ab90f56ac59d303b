import { describe, expect, test } from "bun:test";
import type { Actor } from "../../src/access/actor.ts";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { reviseBlocks } from "../access/blocks.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { findLink } from "./find-links.ts";
import { createFolder, deleteFolder } from "./folders.ts";
import type { Link } from "./link.ts";
import { listLinkChanges } from "./link-history.ts";
import { createTag, deleteTag } from "./tags.ts";
import { undoLinkChanges } from "./undo-changes.ts";
import { updateLink } from "./update-link.ts";
import { updateLinks } from "./update-links.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    const undo = (actor: Actor, ...links: Pick<Link, "id" | "updatedAt">[]) =>
      undoLinkChanges(
        world.deps,
        actor,
        links.map(({ id, updatedAt }) => ({ linkId: id, updatedAt })),
      );
    const refusalsOf = async (undoing: ReturnType<typeof undo>) =>
      (await undoing).refusals.map(({ linkId, problem }) => [linkId, problem.code]);
    const newLink = (actor: Actor, index = 0) => createLink(world.deps, actor, { url: `https://a.example/${index}` });
    const newFolder = (actor: Actor, name: string) =>
      createFolder(world.deps, actor, { name, description: null, accessLevel: "write" });

    test("undoing a bulk change gives each link its former values, and is recorded", async () => {
      const { actor } = await world.newWorkspace();
      const [from, to] = [await newFolder(actor, "From"), await newFolder(actor, "To")];
      const links = [await newLink(actor, 1), await newLink(actor, 2)];
      const ids = links.map(({ id }) => id);
      await updateLink(world.deps, actor, ids[0] ?? "", { folderId: from.id });
      const moved = await updateLinks(world.deps, actor, ids, { folderId: to.id });

      const undone = await undo(actor, ...moved.links);

      expect(undone.refusals).toEqual([]);
      expect(undone.links.map(({ folderId }) => folderId)).toEqual([from.id, null]);
      expect(await findLink(world.deps, actor, ids[0] ?? "")).toMatchObject({
        folderId: from.id,
        updatedAt: undone.links[0]?.updatedAt,
      });
      const [newest, move] = await listLinkChanges(world.deps, actor, ids[0] ?? "", { page: 1, pageSize: 2 });
      expect(newest).toMatchObject({ before: { folderId: to.id }, after: { folderId: from.id }, reverts: move?.id });
    });

    test("undoing an edit restores destination, key, tags and switches together", async () => {
      const { actor } = await world.newWorkspace();
      const tag = await createTag(world.deps, actor, { name: "T", color: "red" });
      const before = await createLink(world.deps, actor, { url: "https://a.example/?utm_source=mail", key: "first" });
      const changed = await updateLink(world.deps, actor, before.id, {
        ...{ url: "https://b.example", key: "second", tagIds: [tag.id], archived: true, disabled: true },
      });

      const { links } = await undo(actor, changed);

      expect(links).toEqual([{ ...before, updatedAt: links[0]?.updatedAt ?? 0 }]);
    });

    test("a link whose former destination the operator has blocked since is left alone, and the others are undone", async () => {
      const { actor } = await world.newWorkspace();
      const host = `${crypto.randomUUID()}.example`;
      const [one, two] = [await createLink(world.deps, actor, { url: `https://${host}/` }), await newLink(actor, 2)];
      const { links } = await updateLinks(world.deps, actor, [one.id, two.id], { url: "https://b.example/" });
      await world.deps.db.transaction().execute(async (tx) => {
        const block = { kind: "host", target: host, name: host, reason: "Malware", createdAt: 0 } as const;
        await tx.insertInto("blocks").values(block).execute();
        await reviseBlocks(tx, world.deps.now());
      });

      const undone = await undo(actor, ...links);

      expect(undone.links.map(({ id, url }) => [id, url])).toEqual([[two.id, two.url]]);
      expect(undone.refusals.map(({ linkId, problem }) => [linkId, problem.code])).toEqual([
        [one.id, "unprocessable_entity"],
      ]);
    });

    test("a link that has changed since is left alone, and the others are undone", async () => {
      const { actor } = await world.newWorkspace();
      const [one, two] = [await newLink(actor, 1), await newLink(actor, 2)];
      const { links } = await updateLinks(world.deps, actor, [one.id, two.id], { archived: true });
      await updateLink(world.deps, actor, one.id, { title: "Later" });

      const undone = await undo(actor, ...links);

      expect(undone.links.map(({ id, archived }) => [id, archived])).toEqual([[two.id, false]]);
      expect(undone.refusals.map(({ linkId, problem }) => [linkId, problem.code])).toEqual([
        [one.id, "precondition_failed"],
      ]);
      expect(await findLink(world.deps, actor, one.id)).toMatchObject({ archived: true, title: "Later" });
    });

    test("a second undo changes nothing", async () => {
      const { actor } = await world.newWorkspace();
      const changed = await updateLink(world.deps, actor, (await newLink(actor)).id, { archived: true });
      await undo(actor, changed);

      expect(await refusalsOf(undo(actor, changed))).toEqual([[changed.id, "precondition_failed"]]);
      expect((await findLink(world.deps, actor, changed.id)).archived).toBe(false);
    });

    test("a change by another user is not undone", async () => {
      const { actor } = await world.newWorkspace();
      const changed = await updateLink(world.deps, actor, (await newLink(actor)).id, { archived: true });

      const other = { ...actor, userId: "user_other" };

      expect(await refusalsOf(undo(other, changed))).toEqual([[changed.id, "precondition_failed"]]);
    });

    // Both change links without a recorded change.
    test("a link whose folder or tag was deleted since is left alone", async () => {
      const { actor } = await world.newWorkspace();
      const [from, to] = [await newFolder(actor, "From"), await newFolder(actor, "To")];
      const tag = await createTag(world.deps, actor, { name: "T", color: "red" });
      const [one, two] = [await newLink(actor, 1), await newLink(actor, 2)];
      await updateLink(world.deps, actor, one.id, { folderId: from.id });
      const moved = await updateLink(world.deps, actor, one.id, { folderId: to.id });
      const tagged = await updateLink(world.deps, actor, two.id, { tagIds: [tag.id] });
      await deleteFolder(world.deps, actor, to.id);
      await deleteTag(world.deps, actor, tag.id);

      expect(await refusalsOf(undo(actor, moved, tagged))).toEqual([
        [moved.id, "precondition_failed"],
        [tagged.id, "precondition_failed"],
      ]);
    });

    test("a link whose former folder is gone is left alone, and the others are undone", async () => {
      const { actor } = await world.newWorkspace();
      const folder = await newFolder(actor, "Gone");
      const [one, two] = [await newLink(actor, 1), await newLink(actor, 2)];
      await updateLink(world.deps, actor, one.id, { folderId: folder.id });
      const { links } = await updateLinks(world.deps, actor, [one.id, two.id], { folderId: null, archived: true });
      await deleteFolder(world.deps, actor, folder.id);

      const undone = await undo(actor, ...links);

      expect(undone.links.map(({ id }) => id)).toEqual([two.id]);
      expect(undone.refusals.map(({ linkId, problem }) => [linkId, problem.code])).toEqual([[one.id, "not_found"]]);
    });

    test("creations, passwords, deleted links and links of other workspaces are refused", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const created = await newLink(actor, 1);
      const protectedLink = await createLink(world.deps, actor, { url: "https://a.example", password: "first" });
      const locked = await updateLink(world.deps, actor, protectedLink.id, { password: "second" });
      const gone = await updateLink(world.deps, actor, (await newLink(actor, 3)).id, { archived: true });
      await deleteLink(world.deps, actor, gone.id);
      const foreign = await updateLink(world.deps, other.actor, (await newLink(other.actor, 4)).id, { archived: true });

      expect(await refusalsOf(undo(actor, created, locked, gone, foreign))).toEqual([
        [created.id, "unprocessable_entity"],
        [locked.id, "unprocessable_entity"],
        [gone.id, "not_found"],
        [foreign.id, "not_found"],
      ]);
      expect((await findLink(world.deps, other.actor, foreign.id)).archived).toBe(true);
    });

    test("undoing a new password removes it", async () => {
      const { actor } = await world.newWorkspace();
      const changed = await updateLink(world.deps, actor, (await newLink(actor)).id, { password: "secret" });

      await undo(actor, changed);

      expect((await findLink(world.deps, actor, changed.id)).password).toBe(null);
    });

    test("a key that is taken by now undoes nothing", async () => {
      const { actor } = await world.newWorkspace();
      const first = await createLink(world.deps, actor, { url: "https://a.example", key: "first" });
      const renamed = await updateLink(world.deps, actor, first.id, { key: "second" });
      const archived = await updateLink(world.deps, actor, (await newLink(actor)).id, { archived: true });
      await createLink(world.deps, actor, { url: "https://b.example", key: "first" });

      expect(await refusal(undo(actor, renamed, archived))).toBe("conflict");
      expect((await findLink(world.deps, actor, archived.id)).archived).toBe(true);
    });

    test("changes with too many bytes together are refused before they are read", async () => {
      const { actor } = await world.newWorkspace();
      const changed: Link[] = [];
      for (let index = 0; index < bigLinks; index++) {
        const { id } = await createLink(world.deps, actor, { url: "https://a.example", geo: bigGeo });
        changed.push(await updateLink(world.deps, actor, id, { geo: null }));
      }

      expect(await refusal(undo(actor, ...changed))).toBe("payload_too_large");
      expect((await undo(actor, ...changed.slice(1, 2))).links[0]?.geo).toEqual(bigGeo);
    });
  });
}

/** Links whose changes exceed the bound together. */
const bigLinks = 70;
const bigGeo = Object.fromEntries(
  ["DE", "FR", "US", "GB", "IT", "ES", "JP", "CN"].map((country) => [
    country,
    `https://a.example/${"x".repeat(8_000)}`,
  ]),
);
