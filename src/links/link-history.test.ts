import { describe, expect, test } from "bun:test";
import type { Actor } from "../../src/access/actor.ts";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createDomain } from "../domains/create-domain.ts";
import { updateDomain } from "../domains/update-domain.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { linkFields } from "./fields.ts";
import { findLink } from "./find-links.ts";
import { createFolder } from "./folders.ts";
import type { LinkChanges } from "./link.ts";
import { omittedPrefix } from "./link-events.ts";
import { listLinkChanges, revertLinkChange, testPauseMsMax, variantsSince } from "./link-history.ts";
import { createTag, deleteTag } from "./tags.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    const all = { page: 1, pageSize: 100 };
    const changes = (actor: Actor, linkId: string, page = all) => listLinkChanges(world.deps, actor, linkId, page);
    const newestChange = async (actor: Actor, linkId: string) => (await changes(actor, linkId))[0]?.id ?? 0;

    test("a history shows user, change and time, before and after, newest first", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "https://a.example", externalId: "7", title: "One" });
      const at = world.deps.now() + 1;
      await updateLink(world.deps, actor, link.id, { title: "Two", archived: true });

      const [update, creation, ...more] = await changes(actor, link.id);
      expect(more).toEqual([]);
      expect(update).toMatchObject({
        type: "link.updated",
        user: { id: actor.userId, name: "", email: null },
        before: { title: "One", archived: false },
        after: { title: "Two", archived: true },
      });
      expect(update?.at).toBeGreaterThanOrEqual(at);
      expect(creation).toMatchObject({ type: "link.created", before: null, after: { id: link.id, title: "One" } });
      expect(await changes(actor, "ext_7")).toEqual(await changes(actor, link.id));
    });

    test("a history comes in pages", async () => {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "https://a.example" });
      for (const title of ["1", "2", "3"]) await updateLink(world.deps, actor, id, { title });

      const titles = async (page: number) =>
        (await changes(actor, id, { page, pageSize: 3 })).map(({ after }) => after?.title);
      expect(await titles(1)).toEqual(["3", "2", "1"]);
      expect(await titles(2)).toEqual([null]);
      expect(await titles(3)).toEqual([]);
    });

    test("a deleted link's history stays readable by its id", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "https://a.example", externalId: "gone" });
      await deleteLink(world.deps, actor, link.id);

      const history = await changes(actor, link.id);
      expect(history.map(({ type }) => type)).toEqual(["link.deleted", "link.created"]);
      expect(history[0]).toMatchObject({ before: { url: link.url }, after: null });
      expect(await refusal(changes(actor, "ext_gone"))).toBe("not_found");
      const changeId = history[0]?.id ?? 0;
      expect(await refusal(revertLinkChange(world.deps, actor, { linkId: link.id, changeId }))).toBe(
        "unprocessable_entity",
      );
    });

    test("a history can be empty, and a deleted user keeps an id", async () => {
      const { actor, domain } = await world.newWorkspace();
      const root = await world.deps.db
        .selectFrom("links")
        .select("id")
        .where("domainId", "=", domain.id)
        .executeTakeFirstOrThrow();

      expect(await changes(actor, root.id)).toEqual([]);
      await updateLink(world.deps, actor, root.id, { title: "Root" });
      await world.deps.db.updateTable("events").set({ userId: "user_gone" }).where("objectId", "=", root.id).execute();
      expect((await changes(actor, root.id))[0]?.user).toEqual({ id: "user_gone", name: null, email: null });
    });

    test("another workspace's history is not found, and none of its changes can be reverted", async () => {
      const { actor } = await world.newWorkspace();
      const other = (await world.newWorkspace()).actor;
      const { id } = await createLink(world.deps, actor, { url: "https://a.example" });
      const own = await createLink(world.deps, other, { url: "https://b.example" });
      await updateLink(world.deps, actor, id, { title: "x" });
      const changeId = await newestChange(actor, id);

      expect(await refusal(changes(other, id))).toBe("not_found");
      expect(await refusal(changes(other, "link_nothing"))).toBe("not_found");
      expect(await refusal(revertLinkChange(world.deps, other, { linkId: id, changeId }))).toBe("not_found");
      expect(await refusal(revertLinkChange(world.deps, other, { linkId: own.id, changeId }))).toBe("not_found");
    });

    test("reverting a change restores every field of it, and is recorded", async () => {
      const { actor } = await world.newWorkspace();
      const input = {
        url: "https://a.example/?utm_source=mail&a=1",
        key: "first",
        expiresAt: 5,
        geo: { DE: "https://de.example" },
        redirectStatus: 301,
        tenantId: "t",
        image: "https://a.example/i.png",
      } as const;
      const link = await createLink(world.deps, actor, input);
      const cleared = { expiresAt: null, geo: null, redirectStatus: null, tenantId: null, image: null, archived: true };
      const domain = world.instance.slug;
      await updateLink(world.deps, actor, link.id, {
        ...cleared,
        url: "https://b.example",
        utm_campaign: "c",
        key: "second",
        domain,
        ios: "https://ios.example",
      });
      const changeId = await newestChange(actor, link.id);
      await updateLink(world.deps, actor, link.id, { comments: "later" });

      const reverted = await revertLinkChange(world.deps, actor, { linkId: link.id, changeId });

      expect(reverted).toEqual({ ...link, comments: "later", updatedAt: reverted.updatedAt });
      expect(await findLink(world.deps, actor, link.id)).toEqual(reverted);
      const [newest, later] = await changes(actor, link.id);
      expect([newest?.reverts, later?.reverts]).toEqual([changeId, null]);
      expect(newest).toMatchObject({ type: "link.updated", before: { key: "second" }, after: { key: "first" } });
      // Reverting the revert restores the change.
      await revertLinkChange(world.deps, actor, { linkId: link.id, changeId: newest?.id ?? 0 });
      expect(await findLink(world.deps, actor, link.id)).toMatchObject({ key: "second", domain, archived: true });
    });

    test("reverting a move finds the former domain, even under a new name", async () => {
      const { actor, domain } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example", domain: domain.slug });
      await updateLink(world.deps, actor, link.id, { domain: world.instance.slug });
      const changeId = await newestChange(actor, link.id);
      const renamed = { slug: domain.slug, changes: { slug: `renamed.${domain.slug}` } };
      await updateDomain(world.deps, actor, renamed);
      // Another domain under the former name is not the one it came from.
      await createDomain(world.deps, actor, { slug: domain.slug });

      const reverted = await revertLinkChange(world.deps, actor, { linkId: link.id, changeId });

      expect(reverted).toMatchObject({ domain: `renamed.${domain.slug}`, domainId: domain.id, key: link.key });
    });

    test("tags and folder are part of the history, and can be restored while they exist", async () => {
      const { actor } = await world.newWorkspace();
      const tag = await createTag(world.deps, actor, { name: "Red" });
      const fields = { name: "F", description: null, accessLevel: "write" } as const;
      const folder = await createFolder(world.deps, actor, fields);
      const filed = { url: "https://a.example", tagIds: [tag.id], folderId: folder.id };
      const { id } = await createLink(world.deps, actor, filed);
      await updateLink(world.deps, actor, id, { tagIds: [], folderId: null });
      const [change] = await changes(actor, id);
      expect(change).toMatchObject({
        before: { tags: [tag], folderId: folder.id },
        after: { tags: [], folderId: null },
      });
      const revert = () => revertLinkChange(world.deps, actor, { linkId: id, changeId: change?.id ?? 0 });

      expect(await revert()).toMatchObject({ tags: [tag], folderId: folder.id });
      await deleteTag(world.deps, actor, tag.id);
      expect(await refusal(revert())).toBe("unprocessable_entity");
    });

    test("a change that cannot be reverted is refused, and nothing changes", async () => {
      const { actor } = await world.newWorkspace();
      const image = `data:image/png;base64,${"A".repeat(linkFields.image.historyCharactersMax)}`;
      const link = await createLink(world.deps, actor, {
        url: "https://a.example",
        key: "mine",
        password: "one",
        image,
      });
      const creation = await newestChange(actor, link.id);
      await updateLink(world.deps, actor, link.id, { password: "two", title: "x" });
      const password = await newestChange(actor, link.id);
      await updateLink(world.deps, actor, link.id, { image: null });
      const [imageChange] = await changes(actor, link.id);
      await updateLink(world.deps, actor, link.id, { key: "moved" });
      const key = await newestChange(actor, link.id);
      await createLink(world.deps, actor, { url: "https://b.example", key: "mine" });
      const before = await findLink(world.deps, actor, link.id);
      const revert = (changeId: number) => refusal(revertLinkChange(world.deps, actor, { linkId: link.id, changeId }));

      expect(imageChange?.before?.image).toStartWith(omittedPrefix("image"));
      expect(await revert(creation)).toBe("unprocessable_entity");
      expect(await revert(password)).toBe("unprocessable_entity");
      expect(await revert(imageChange?.id ?? 0)).toBe("unprocessable_entity");
      expect(await revert(key)).toBe("conflict");
      expect(await revert(2_147_483_647)).toBe("not_found");
      expect(await findLink(world.deps, actor, link.id)).toEqual(before);
    });

    test("a test whose variants are restored at once goes on, and one that paused for longer begins again", async () => {
      const { actor } = await world.newWorkspace();
      const testVariants = [1, 2].map((page) => ({ url: `https://a.example/${page}`, percentage: 50 }));
      const others = testVariants.map((variant) => ({ ...variant, percentage: 30 }));
      const link = await createLink(world.deps, actor, { url: "https://a.example", testVariants });
      const change = (changed: LinkChanges) => updateLink(world.deps, actor, link.id, changed);
      const pause = async (ms: number) => {
        await change({ testVariants: null });
        await change({ title: "Paused" });
        world.advance(ms);
        return (await change({ testVariants })).updatedAt;
      };

      await pause(1_000);
      await pause(1_000);
      const afterTwoPauses = await variantsSince(world.deps.db, actor, link);
      const restored = await pause(testPauseMsMax);
      await change({ title: "Later" });
      const afterALongPause = await variantsSince(world.deps.db, actor, link);
      const changed = await change({ testVariants: others });
      const afterAChange = await variantsSince(world.deps.db, actor, changed);

      expect(afterTwoPauses).toBe(link.createdAt);
      expect(afterALongPause).toBe(restored);
      expect(afterAChange).toBe(changed.updatedAt);
    });

    test("reverting the setting of a password removes it", async () => {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "https://a.example" });
      await updateLink(world.deps, actor, id, { password: "secret" });

      const reverted = await revertLinkChange(world.deps, actor, {
        linkId: id,
        changeId: await newestChange(actor, id),
      });

      expect(reverted.password).toBe(null);
    });
  });
}
