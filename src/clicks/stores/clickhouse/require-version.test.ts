import { expect, test } from "bun:test";
import { ClickHouseError } from "@clickhouse/client";
import { requireVersion } from "./require-version.ts";

test.each(["26.5.1.1", "26.9.0.2", "26.12.3.4", "27.1.2.3"])("version %s is supported", async (version) => {
  await requireVersion(async () => version);
});

test.each(["18.16.1", "25.8.11.66", "26.3.1.1"])("version %s is refused by its number", async (version) => {
  const checking = requireVersion(async () => version);

  await expect(checking).rejects.toThrow(`This ClickHouse ${version} is too old: Waypost needs 26.5 or later.`);
});

test.each([
  "Code: 115, e.displayText() = DB::Exception: Unknown setting prefer_column_name_to_alias, e.what() = DB::Exception",
  "Unknown setting 'enable_shared_storage_snapshot_in_query'. ",
])("a version is refused that does not know a needed setting: %s", async (message) => {
  await expect(requireVersion(() => Promise.reject(new Error(message)))).rejects.toThrow("This ClickHouse is too old");
});

test("another failure stays as it is", async () => {
  const denied = new ClickHouseError({ message: "Not enough privileges", code: "497", type: "ACCESS_DENIED" });

  await expect(requireVersion(() => Promise.reject(denied))).rejects.toBe(denied);
});
