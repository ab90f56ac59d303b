import { expect } from "bun:test";
import { mkdirSync } from "node:fs";

/** A disk of a test, or why there is none. */
export type SmallDisk =
  | { kind: "mounted"; grow(size: string): void; unmount(): void }
  | { kind: "refused"; reason: string };

/** Mounts a small disk of its own on a folder, where this process may; `size` such as "1m". */
export function mountDisk(folder: string, size: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  if (process.platform !== "linux") return { kind: "refused", reason: `no tmpfs on ${process.platform}` };
  const mounted = run("mount", "-t", "tmpfs", "-o", `size=${size}`, "waypost-test", folder);
  if (mounted !== "") return { kind: "refused", reason: mounted };
  return {
    kind: "mounted",
    grow: (larger) => expect(run("mount", "-o", `remount,size=${larger}`, folder)).toBe(""),
    unmount: () => expect(run("umount", folder)).toBe(""),
  };
}

/** What a command says when it fails; "" when it works. */
function run(...command: string[]): string {
  try {
    const { exitCode, stderr } = Bun.spawnSync(command);
    return exitCode === 0 ? "" : stderr.toString().trim() || `exit code ${exitCode}`;
  } catch (error) {
    return String(error);
  }
}
