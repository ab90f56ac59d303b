import { expect, test } from "bun:test";
import type { Schemas } from "../../../sdk/client.ts";
import { revertStates } from "./reverts.ts";

type Change = Schemas["LinkChange"];

function update(id: string, values: { before: object; after: object; reverts?: string }): Change {
  const { before, after, reverts = null } = values;
  const fields = { before: { ...before }, after: { ...after }, reverts };
  return { id, type: "link.updated", at: "2026-11-20T09:30:00.000Z", user: null, ...fields };
}

function shown(changes: readonly Change[]): string[] {
  const states = revertStates(changes);
  return changes.map(({ id }) => {
    const { reverted, isReverted, isUndone } = states.get(id) ?? {};
    return [id, reverted && `reverts ${reverted.id}`, isReverted && "reverted", isUndone && "undone"]
      .filter(Boolean)
      .join(", ");
  });
}

test("a revert names its change, which is reverted as long as the link has the values from before it", () => {
  const edit = update("1", { before: { title: "A", archived: false }, after: { title: "B", archived: true } });
  const revert = update("2", { before: edit.after ?? {}, after: edit.before ?? {}, reverts: "1" });
  const other = update("3", { before: { url: "a" }, after: { url: "b" } });
  const again = update("4", { before: { title: "A" }, after: { title: "C" } });

  expect(shown([other, revert, edit])).toEqual(["3", "2, reverts 1", "1, reverted, undone"]);
  expect(shown([again, other, revert, edit])).toEqual(["4", "3", "2, reverts 1", "1"]);
});

test("a change whose values were restored by hand is undone, but not reverted", () => {
  const edit = update("1", { before: { title: "A" }, after: { title: "B" } });
  const back = update("2", { before: { title: "B" }, after: { title: "A" } });

  expect(shown([back, edit])).toEqual(["2", "1, undone"]);
});

test("a revert of a change that is not loaded names none", () => {
  const revert = update("2", { before: { title: "B" }, after: { title: "A" }, reverts: "1" });

  expect(shown([revert])).toEqual(["2"]);
});
