import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { deleteLink } from "./delete-link.ts";
import { upsertLink } from "./upsert-link.ts";

const rounds = 40;

describe.each([...engines])("an upsert on %s", (engine) => {
  const world = openLinks(engine);

  test("works whether or not another call deletes the link it found", async () => {
    const { actor } = await world.newWorkspace();
    const refusals: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const input = { url: `https://a.example/${round}`, title: "before" };
      const { id } = await upsertLink(world.deps, actor, input);

      const [refused] = await Promise.all([
        refusal(upsertLink(world.deps, actor, { ...input, title: "after" })),
        deleteLink(world.deps, actor, id),
      ]);

      refusals.push(refused);
    }

    expect(refusals).toEqual(Array(rounds).fill("none"));
  });

  test("with an unknown folder is refused", async () => {
    const { actor } = await world.newWorkspace();
    const input = { url: "https://a.example", folderId: "fold_none" };

    expect(await refusal(upsertLink(world.deps, actor, input))).toBe("not_found");
  });
});
