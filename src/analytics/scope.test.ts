import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "../links/create-link.ts";
import { createFolder } from "../links/folders.ts";
import { LinkQueries } from "../links/link-queries.ts";
import { findScope } from "./scope.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    test("the links of a folder are read when it is the workspace's turn among its lists of links", async () => {
      const { actor } = await world.newWorkspace();
      const folder = await createFolder(world.deps, actor, { name: "F", description: null, accessLevel: "write" });
      const link = await createLink(world.deps, actor, { url: "a.example", folderId: folder.id });
      const linkQueries = new LinkQueries(world.database);
      const list = Promise.withResolvers<void>();
      const order: string[] = [];
      const listed = linkQueries.run(actor.workspaceId, () => list.promise).then(() => order.push("list"));

      const found = findScope({ db: world.deps.db, linkQueries }, actor, { folderId: folder.id }).then((filters) => {
        order.push("folder");
        return filters;
      });
      // Any number of ticks would do.
      for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
      list.resolve();
      await listed;

      expect(await found).toEqual([{ dimension: "linkId", values: [link.id], isExcluded: false }]);
      expect(order).toEqual(["list", "folder"]);
    });
  });
}
