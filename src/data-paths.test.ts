import { describe, expect, test } from "bun:test";
import { dataPaths } from "./data-paths.ts";

describe("the admin socket", () => {
  test("is in the data folder", () => {
    expect(dataPaths({ WAYPOST_DATA: "/srv/waypost" }).adminSocket).toBe("/srv/waypost/admin.sock");
  });

  test("is in a temporary folder, different for each data folder, when the path would be too long", () => {
    const long = `/srv/${"ü".repeat(60)}`;
    const { adminSocket } = dataPaths({ WAYPOST_DATA: long });

    expect(Buffer.byteLength(adminSocket)).toBeLessThan(100);
    expect(dataPaths({ WAYPOST_DATA: long }).adminSocket).toBe(adminSocket);
    expect(dataPaths({ WAYPOST_DATA: `${long}2` }).adminSocket).not.toBe(adminSocket);
  });
});
