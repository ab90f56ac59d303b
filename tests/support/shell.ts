import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, repository } from "./command.ts";

/**
 * Runs lines of a document as a reader would paste them. On a machine without curl, a script with the flags that the
 * documents use replaces it.
 */
export async function shell(script: string, environment: Record<string, string> = {}): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-shell-"));
  try {
    if (Bun.which("curl") === null) {
      const replacement = join(folder, "curl");
      writeFileSync(replacement, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dir, "curl.ts")}" "$@"\n`);
      chmodSync(replacement, 0o755);
    }
    const child = Bun.spawn(["sh", "-e", "-c", script], {
      cwd: repository,
      env: { ...process.env, ...environment, PATH: `${folder}:${process.env.PATH ?? ""}` },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
