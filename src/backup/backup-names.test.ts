import { expect, test } from "bun:test";
import { abandonedBackups, backupName, surplusBackups } from "./backup-names.ts";

const at = Date.parse("2026-11-24T03:04:05.678Z");

test("a name has the series, the time and the format", () => {
  expect(backupName("0123abcd", at, false)).toBe("waypost-0123abcd-20261124T030405Z.tar.zst");
  expect(backupName("0123abcd", at, true)).toBe("waypost-0123abcd-20261124T030405Z.age");
});

test("only complete backups of the series are surplus, the oldest first to go", () => {
  const days = ["20", "24", "22"].map((day) => `waypost-0123abcd-202611${day}T030405Z.tar.zst`);
  const foreign = [
    "waypost-ffffffff-20260101T000000Z.tar.zst",
    "waypost-0123abcd-20260101T000000Z.tar.zst.part-7",
    "waypost-0123abcd-20260101T000000Z.tar.zst.old",
    "waypost-0123abcd-notes.tar.zst",
    "waypost-2026-01-01.tar.zst",
    "20260101T000000Z.age",
  ];

  const [, written = ""] = days;
  const surplus = (keep: number, name = written) =>
    surplusBackups([...foreign, ...days], { series: "0123abcd", keep, written: name });

  expect(surplus(2)).toEqual(days.slice(0, 1));
  expect(surplus(3)).toEqual([]);
  // The clock was ahead when the others were made.
  expect(surplus(1, days[0])).toEqual([written, days[2] ?? ""]);
});

test("an unfinished file is removed once its backup began 12 hours ago, and never while it may still be written", () => {
  const parts = ["20261123T150405Z", "20261123T150406Z", "20261124T030405Z", "20261125T030405Z"].map(
    (time) => `waypost-0123abcd-${time}.age.part-7`,
  );
  const others = ["waypost-ffffffff-20260101T000000Z.age.part-7", "waypost-0123abcd-20260101T000000Z.age"];

  expect(abandonedBackups([...parts, ...others], { series: "0123abcd", at })).toEqual(parts.slice(0, 1));
});
