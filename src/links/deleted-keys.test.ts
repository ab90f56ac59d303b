import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { hourMs, isoTime } from "../base/time.ts";
import type { Warning } from "../base/warning.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { deleteLinks } from "./delete-links.ts";
import { listLinkChanges, revertLinkChange } from "./link-history.ts";
import { keyHoldMs } from "./released-keys.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(`keys of deleted links on ${engine}`, () => {
    const world = openLinks(engine);
    const url = "https://a.example";

    /** Dependencies that collect warnings. */
    function listening() {
      const warnings: Warning[] = [];
      return { deps: { ...world.deps, warn: (warning: Warning) => void warnings.push(warning) }, warnings };
    }

    test("the workspace that takes a deleted link's key again is warned, by every verb, and only once", async () => {
      const { actor, domain } = await world.newWorkspace();
      const made = await createLinks(
        world.deps,
        actor,
        ["one", "two", "three", "new"].map((key) => ({ url, key })),
      );
      const [one, two, three] = made.links;
      await deleteLink(world.deps, actor, one?.id ?? "");
      await deleteLinks(world.deps, actor, [two?.id ?? "", three?.id ?? ""]);
      const { deps, warnings } = listening();

      const reused = await createLink(deps, actor, { url, key: "ONE" });
      await createLinks(deps, actor, [
        { url, key: "two" },
        { url, key: "fresh" },
      ]);
      await updateLink(deps, actor, made.links[3]?.id ?? "", { key: "three" });
      await updateLink(deps, actor, reused.id, { title: "T" });

      const expected = ["ONE", "two", "three"].map((key) => ({
        code: "key_reused",
        message: `The key "${key}" on ${domain.slug} belonged to a link that was deleted; printed codes may still point to it.`,
      }));
      expect(warnings).toEqual(expected as Warning[]);
    });

    test("the key of a renamed link gives no warning", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url, key: "old" });
      await updateLink(world.deps, actor, link.id, { key: "new" });
      const { deps, warnings } = listening();

      await createLink(deps, actor, { url, key: "old" });

      expect(warnings).toEqual([]);
    });

    test("another workspace learns until when a key is reserved, and can take it afterwards", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const input = { url, domain: world.instance.slug, key: `kept-${engine}` };
      const { id } = await createLink(world.deps, actor, input);
      const before = world.deps.now();
      await deleteLink(world.deps, actor, id);
      const { deps, warnings } = listening();
      const moving = await createLink(world.deps, other.actor, { url });

      const single = (await problemOf(createLink(deps, other.actor, input)))?.message ?? "";
      const renamed = await problemOf(updateLink(deps, other.actor, moving.id, input));
      const [refusal] = (await createLinks(deps, other.actor, [input])).refusals;

      const until = /until (\S+) for the workspace that used it before\.$/.exec(single)?.[1] ?? "";
      expect(Date.parse(until)).toBeGreaterThan(before + keyHoldMs);
      expect(Date.parse(until)).toBeLessThan(before + keyHoldMs + 1_000);
      expect(until).toBe(isoTime(Date.parse(until)));
      expect([renamed?.message, refusal?.problem.message]).toEqual([single, single]);
      world.advance(24 * hourMs);
      expect((await createLink(deps, other.actor, input)).key).toBe(input.key);
      // A new owner is also warned that the short link was in use before.
      expect(warnings.map(({ code }) => code)).toEqual(["key_reused"]);
    });

    test("a random key is never one of a deleted link", async () => {
      const { actor, domain } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url });
      await deleteLink(world.deps, actor, link.id);
      const rows = Array.from("23456789abcdefghijklmnpqrstuvwxyz").flatMap((first) =>
        Array.from("23456789abcdefghijklmnpqrstuvwxyz", (second) => `${first}${second}`),
      );
      const last = "23456789abcdefghijklmnpqrstuvwxyz";
      for (const third of last) {
        const released = rows.map((start) => ({
          ...{ domainId: domain.id, foldedKey: `${start}${third}`, workspaceId: actor.workspaceId },
          ...{ releasedAt: 0, isDeleted: 1 as const },
        }));
        await world.deps.db.insertInto("releasedKeys").values(released).execute();
      }

      const single = await createLink(world.deps, actor, { url, keyLength: 3 });
      const { links } = await createLinks(world.deps, actor, [{ url, keyLength: 3 }]);

      expect([single.key.length, links[0]?.key.length]).toEqual([4, 4]);
    });

    test("reverting any change of a deleted link says that deletion is permanent", async () => {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url });
      await updateLink(world.deps, actor, id, { title: "T" });
      await deleteLink(world.deps, actor, id);
      const changes = await listLinkChanges(world.deps, actor, id, { page: 1, pageSize: 9 });

      for (const change of changes) {
        const problem = await problemOf(revertLinkChange(world.deps, actor, { linkId: id, changeId: change.id }));

        expect([change.type, problem?.code]).toEqual([change.type, "unprocessable_entity"]);
        expect(problem?.message).toContain("deletion is permanent");
      }
    });
  });
}
