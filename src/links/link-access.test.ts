import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import type { Actor } from "../access/actor.ts";
import { deleteDomain } from "../domains/delete-domain.ts";
import { updateDomain } from "../domains/update-domain.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { deleteLinks } from "./delete-links.ts";
import { findLink } from "./find-links.ts";
import { createFolder, deleteFolder } from "./folders.ts";
import { listLinkChanges, revertLinkChange } from "./link-history.ts";
import { purgeClicks } from "./purge-clicks.ts";
import { createTag } from "./tags.ts";
import { undoLinkChanges } from "./undo-changes.ts";
import { updateLink } from "./update-link.ts";
import { updateLinks } from "./update-links.ts";
import { upsertLink } from "./upsert-link.ts";

for (const engine of engines) {
  describe(`links in folders for owners only, ${engine}`, () => {
    const world = openLinks(engine);

    /** An owner's link in a folder for owners only, one in an open folder, and a member who may write. */
    async function newClosed() {
      const { actor: owner, domain } = await world.newWorkspace();
      const member: Actor = { ...owner, role: "member" };
      const closed = await createFolder(world.deps, owner, { name: "Closed", description: null, accessLevel: "read" });
      const open = await createFolder(world.deps, owner, { name: "Open", description: null, accessLevel: "write" });
      const tag = await createTag(world.deps, owner, { name: "T", color: "red" });
      const link = await createLink(world.deps, owner, {
        ...{ url: "https://a.example/x", key: "protected", externalId: "p", folderId: closed.id },
      });
      await updateLink(world.deps, owner, link.id, { title: "T" });
      const free = await createLink(world.deps, owner, { url: "https://b.example", folderId: open.id });
      return { owner, member, domain, closed, open, tag, link, free };
    }
    type Closed = Awaited<ReturnType<typeof newClosed>>;

    const titleChange = async ({ owner, link }: Closed) => {
      const [change] = await listLinkChanges(world.deps, owner, link.id, { page: 1, pageSize: 1 });
      return Number(change?.id);
    };

    /** TABLE of everything that changes a link in the folder, or puts one into it. */
    const attempts: Record<string, (actor: Actor, objects: Closed) => Promise<unknown>> = {
      "updates a link": (actor, { link }) => updateLink(world.deps, actor, link.id, { url: "https://evil.example" }),
      "updates a link by externalId": (actor) => updateLink(world.deps, actor, "ext_p", { archived: true }),
      "tags a link": (actor, { link, tag }) => updateLink(world.deps, actor, link.id, { tagIds: [tag.id] }),
      "moves a link out": (actor, { link, open }) => updateLink(world.deps, actor, link.id, { folderId: open.id }),
      "takes a link out": (actor, { link }) => updateLink(world.deps, actor, link.id, { folderId: null }),
      "gives a link another key": (actor, { link }) => updateLink(world.deps, actor, link.id, { key: "other" }),
      "moves a link in": (actor, { free, closed }) => updateLink(world.deps, actor, free.id, { folderId: closed.id }),
      "changes many links": (actor, { link, free }) =>
        updateLinks(world.deps, actor, [free.id, link.id], { title: "Evil" }),
      "tags many links": (actor, { link, free, tag }) =>
        updateLinks(world.deps, actor, [free.id, link.id], { tagNames: [tag.name] }),
      "moves many links in": (actor, { free, closed }) =>
        updateLinks(world.deps, actor, [free.id], { folderId: closed.id }),
      "moves many links out": (actor) => updateLinks(world.deps, actor, ["ext_p"], { folderId: "" }),
      "upserts a link by url": (actor) => upsertLink(world.deps, actor, { url: "https://a.example/x", title: "Evil" }),
      "makes a link in it": (actor, { closed }) =>
        createLink(world.deps, actor, { url: "https://c.example", folderId: closed.id }),
      "reverts a change": async (actor, objects) =>
        revertLinkChange(world.deps, actor, { linkId: objects.link.id, changeId: await titleChange(objects) }),
      "undoes a change": async (actor, { link }) => {
        const { updatedAt } = await findLink(world.deps, actor, link.id);
        await undoLinkChanges(world.deps, actor, [{ linkId: link.id, updatedAt }]);
      },
      "purges a link's clicks": (actor, { link }) => purgeClicks(world.deps, actor, link.id),
      "deletes a link": (actor, { link }) => deleteLink(world.deps, actor, link.id),
      "deletes many links": (actor, { link, free }) => deleteLinks(world.deps, actor, [free.id, link.id]),
      "deletes more links than a transaction holds": (actor, { link, free }) =>
        deleteLinks(world.deps, actor, [free.id, ...Array.from({ length: 100 }, (_, i) => `link_${i}`), link.id]),
      "deletes the folder": (actor, { closed }) => deleteFolder(world.deps, actor, closed.id),
      "renames the domain": (actor, { domain }) =>
        updateDomain(world.deps, actor, { slug: domain.slug, changes: { slug: `new-${domain.slug}` } }),
      "deletes the domain": (actor, { domain }) => deleteDomain(world.deps, actor, domain.slug),
    };

    test.each(Object.keys(attempts))("an owner %s, and a member is refused and changes nothing", async (name) => {
      const attempt = attempts[name] ?? fail();
      const objects = await newClosed();
      const { owner, member, link, free } = objects;
      const read = async () => [await findLink(world.deps, owner, link.id), await findLink(world.deps, owner, free.id)];
      const before = await read();

      const refused = await refusal(attempt(member, objects));
      const after = await read();

      expect(refused).toBe("forbidden");
      expect(after).toEqual(before);
      expect(await refusal(attempt(owner, objects))).toBe("none");
    });

    test("one refused link of a batch leaves the others alone", async () => {
      const { member, closed, open } = await newClosed();

      const { links, refusals } = await createLinks(world.deps, member, [
        { url: "https://c.example", folderId: closed.id },
        { url: "https://d.example", folderId: open.id },
      ]);

      expect(links.map(({ url }) => url)).toEqual(["https://d.example"]);
      expect(refusals.map(({ problem }) => problem.code)).toEqual(["forbidden"]);
    });

    test("a member cannot purge the clicks of a deleted link that was in the folder", async () => {
      const { owner, member, link } = await newClosed();
      await deleteLink(world.deps, owner, link.id);

      expect(await refusal(purgeClicks(world.deps, member, link.id))).toBe("forbidden");
      expect(await refusal(purgeClicks(world.deps, owner, link.id))).toBe("none");
    });

    test("a member cannot purge the clicks of a link in the folder that was deleted with its domain", async () => {
      const { owner, member, link, domain } = await newClosed();
      await updateLink(world.deps, owner, link.id, { title: "Changed" });
      await deleteDomain(world.deps, owner, domain.slug);

      expect(await refusal(purgeClicks(world.deps, member, link.id))).toBe("forbidden");
      expect(await refusal(purgeClicks(world.deps, owner, link.id))).toBe("none");
    });

    test("a member can change links in open folders and outside of folders", async () => {
      const { member, free } = await newClosed();

      expect((await updateLink(world.deps, member, free.id, { title: "New", folderId: "" })).title).toBe("New");
      expect(await deleteLinks(world.deps, member, [free.id])).toBe(1);
    });
  });
}

function fail(): never {
  throw new Error("The table has it.");
}
