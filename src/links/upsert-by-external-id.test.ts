import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { findLink } from "./find-links.ts";
import { countLinks } from "./list-links.ts";
import { updateLink } from "./update-link.ts";
import { putLink, upsertLink } from "./upsert-link.ts";

const simultaneousCalls = 8;
const rounds = 10;

describe.each([...engines])("an upsert by external id on %s", (engine) => {
  const world = openLinks(engine);

  test("creates a link, updates it with another URL, and changes nothing when repeated", async () => {
    const { actor } = await world.newWorkspace();

    const made = await upsertLink(world.deps, actor, { url: "https://a.example", externalId: "X", utm_source: "s" });
    const changed = await upsertLink(world.deps, actor, { url: "https://b.example", externalId: "ext_X", title: "T" });
    const again = await upsertLink(world.deps, actor, { url: "https://b.example", externalId: "X", title: "T" });

    expect(changed).toMatchObject({ id: made.id, key: made.key, externalId: "X", title: "T", utm_source: "s" });
    expect(changed.url).toBe("https://b.example/?utm_source=s");
    expect(again).toEqual(changed);
    expect(await world.eventsOf(made.id)).toHaveLength(2);
  });

  test("does not compare the URL: other links with the same URL stay as they are", async () => {
    const { actor } = await world.newWorkspace();
    const url = "https://a.example";
    const without = await createLink(world.deps, actor, { url });
    const other = await createLink(world.deps, actor, { url, externalId: "other" });

    const made = await upsertLink(world.deps, actor, { url, externalId: "X" });

    expect([without.id, other.id]).not.toContain(made.id);
    expect(await findLink(world.deps, actor, without.id)).toEqual(without);
    expect(await findLink(world.deps, actor, other.id)).toEqual(other);
  });

  test("is a conflict for a key that another link has, on creation and on update", async () => {
    const { actor } = await world.newWorkspace();
    await createLink(world.deps, actor, { url: "https://a.example", key: "taken" });
    const input = { url: "https://b.example", externalId: "X" };

    expect(await refusal(upsertLink(world.deps, actor, { ...input, key: "taken" }))).toBe("conflict");
    const made = await upsertLink(world.deps, actor, { ...input, key: "free" });
    expect(await refusal(upsertLink(world.deps, actor, { ...input, key: "taken" }))).toBe("conflict");
    expect(await findLink(world.deps, actor, "ext_X")).toEqual(made);
  });

  test("by PUT on ext_X creates the link with that external id, which needs a URL", async () => {
    const { actor } = await world.newWorkspace();

    expect(await refusal(putLink(world.deps, actor, "ext_X", { title: "T" }))).toBe("unprocessable_entity");
    const made = await putLink(world.deps, actor, "ext_X", { url: "https://a.example", title: "T" });
    const changed = await putLink(world.deps, actor, "ext_X", { title: "U" });

    expect(made).toMatchObject({ externalId: "X", url: "https://a.example", title: "T" });
    expect(changed).toMatchObject({ id: made.id, url: "https://a.example", title: "U" });
  });

  test("by PUT refuses a body with another external id for a missing link, and renames an existing one", async () => {
    const { actor } = await world.newWorkspace();
    const input = { url: "https://a.example", externalId: "Y" };

    expect(await refusal(putLink(world.deps, actor, "ext_X", input))).toBe("unprocessable_entity");
    const made = await putLink(world.deps, actor, "ext_X", { ...input, externalId: "X" });
    const renamed = await putLink(world.deps, actor, "ext_X", input);

    expect(renamed).toMatchObject({ id: made.id, externalId: "Y" });
  });

  test("by PUT finds no link by an unknown id or another workspace's external id", async () => {
    const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
    const theirs = await createLink(world.deps, other.actor, { url: "https://a.example", externalId: "X" });

    expect(await refusal(putLink(world.deps, actor, "link_x", { url: "https://b.example" }))).toBe("not_found");
    expect(await refusal(putLink(world.deps, actor, "ext_", { url: "https://b.example" }))).toBe(
      "unprocessable_entity",
    );
    const own = await putLink(world.deps, actor, "ext_X", { url: "https://b.example" });

    expect(own.id).not.toBe(theirs.id);
    expect(await findLink(world.deps, other.actor, "ext_X")).toEqual(theirs);
  });

  test("creates one link among many simultaneous calls, and all of them succeed", async () => {
    const { actor } = await world.newWorkspace();
    for (let round = 0; round < rounds; round++) {
      const externalId = `race-${round}`;
      const calls = Array.from({ length: simultaneousCalls }, (_, index) =>
        index % 2 === 0
          ? upsertLink(world.deps, actor, { url: `https://a.example/${index}`, externalId })
          : putLink(world.deps, actor, `ext_${externalId}`, { url: `https://a.example/${index}` }),
      );

      const links = await Promise.all(calls);

      expect(new Set(links.map(({ id }) => id)).size).toBe(1);
    }
    expect(await countLinks(world.deps, actor, { search: "a.example" })).toBe(rounds);
  });

  test("updates or creates the link while another call creates it", async () => {
    const { actor } = await world.newWorkspace();
    for (let round = 0; round < rounds; round++) {
      const externalId = `race-${round}`;
      const creation = refusal(createLink(world.deps, actor, { url: "https://a.example", externalId }));

      const upserted = await upsertLink(world.deps, actor, { url: "https://b.example", externalId });

      expect(["none", "conflict"]).toContain(await creation);
      expect((await findLink(world.deps, actor, `ext_${externalId}`)).id).toBe(upserted.id);
    }
  });

  test("works while another call deletes the link or changes its external id", async () => {
    const { actor } = await world.newWorkspace();
    const refusals: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const externalId = `gone-${round}`;
      const input = { url: "https://a.example", externalId };
      const { id } = await upsertLink(world.deps, actor, input);
      const away =
        round % 2 === 0 ? deleteLink(world.deps, actor, id) : updateLink(world.deps, actor, id, { externalId: null });

      refusals.push(await refusal(upsertLink(world.deps, actor, { ...input, title: "after" })));
      await away;
    }

    expect(refusals).toEqual(Array(rounds).fill("none"));
  });
});
