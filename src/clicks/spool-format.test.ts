import { expect, test } from "bun:test";
import { appendTick, capturedClicks, readToEnd, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import { firstClickId, positionOfClick } from "./spool-format.ts";

test("a click's id contains its position in the spool, and each position has a first id", async () => {
  const folder = spoolFolder();
  const spool = testSpool(folder.directory, { segmentBytesMax: 2_000 });
  for (let turn = 0; turn < 20; turn++) await appendTick(spool, capturedClicks(turn * 10, turn * 10 + 10));

  const { clicks } = readToEnd(folder.directory);

  const positions = clicks.map(({ id }) => positionOfClick(id));
  expect(clicks).toHaveLength(200);
  expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  expect(positions.every((position) => position >= 0 && position < spool.end())).toBe(true);
  expect(positions.map((position) => firstClickId(spool.id, position))).toEqual(clicks.map(({ id }) => id));
  spool.close();
  folder.remove();
});

test("ids of one spool ascend with positions, up to the largest position", () => {
  const positions = [0, 1, 255, 256, 2 ** 32, 2 ** 48 - 1, 2 ** 48, Number.MAX_SAFE_INTEGER];

  const ids = positions.map((position) => firstClickId("0f8fad5bd9cb469fa16570867728950e", position));

  expect(ids.toSorted()).toEqual(ids);
  expect(ids.map(positionOfClick)).toEqual(positions);
});
