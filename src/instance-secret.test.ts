import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "./data-paths.ts";
import { inspectSecret, instanceSecret } from "./instance-secret.ts";

describe("the instance's secret", () => {
  let folder: string;
  const config = (secret?: string) => ({ WAYPOST_DATA: folder, WAYPOST_SECRET: secret });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "waypost-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("is created once, for its owner only, and stays the same", () => {
    const secret = instanceSecret(config());

    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(instanceSecret(config())).toBe(secret);
    expect(statSync(dataPaths(config()).secret).mode & 0o777).toBe(0o600);
    expect(inspectSecret(config())).toEqual({ kind: "file" });
  });

  test("is the option when it is set, and then no file is created", () => {
    const option = "x".repeat(32);

    expect(instanceSecret(config(option))).toBe(option);
    expect(inspectSecret(config())).toEqual({ kind: "absent" });
  });

  test("is never replaced when its file is empty", () => {
    writeFileSync(dataPaths(config()).secret, "", { mode: 0o600 });

    expect(() => instanceSecret(config())).toThrow("Restore the file from a backup, or set WAYPOST_SECRET");
  });

  test("is reported when other users can read it", () => {
    instanceSecret(config());

    chmodSync(dataPaths(config()).secret, 0o644);

    expect(inspectSecret(config())).toMatchObject({ kind: "file", problem: expect.stringContaining("chmod 600") });
  });
});
