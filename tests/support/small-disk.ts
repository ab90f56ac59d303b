import { expect } from "bun:test";
import {
  closeSync,
  cpSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of a test, or the reason why it could not be mounted. */
type SmallDisk = { kind: "mounted"; grow(size: string): void; unmount(): void } | { kind: "refused"; reason: string };

/** Mounts a small disk on a folder, if this process may mount; `size` is a text such as "1m". */
export function mountDisk(folder: string, size: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  if (process.platform !== "linux") return { kind: "refused", reason: `no tmpfs on ${process.platform}` };
  const mounted = run("mount", "-t", "tmpfs", "-o", `size=${size}`, "waypost-test", folder);
  if (mounted !== "") return { kind: "refused", reason: mounted };
  return {
    kind: "mounted",
    grow: (larger) => expect(run("mount", "-o", `remount,size=${larger}`, folder)).toBe(""),
    // Lazy: a killed server's store process may still be ending, and a failure here would hide the failure of a test.
    unmount: () => expect(run("umount", "--lazy", folder)).toBe(""),
  };
}

/** Mounts a small disk on a folder, and copies its files to it. No process may have them open. */
export function moveOntoDisk(folder: string, size: string): SmallDisk {
  const copy = mkdtempSync(join(tmpdir(), "waypost-disk-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const disk = mountDisk(folder, size);
    if (disk.kind === "mounted") cpSync(copy, folder, { recursive: true });
    return disk;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The name of the file that fills a disk. */
export const fillerName = "filler";

/** Fills the disk of a folder except for `spareBytes`, until the space is released. */
export function fillDisk(folder: string, spareBytes: number): { free(): void } {
  const path = join(folder, fillerName);
  const file = openSync(path, "a");
  try {
    for (let bytes = 1024 ** 2; bytes >= 1; ) {
      if (!hasWritten(file, Buffer.alloc(bytes))) bytes = Math.floor(bytes / 2);
    }
    ftruncateSync(file, Math.max(0, fstatSync(file).size - spareBytes));
  } finally {
    closeSync(file);
  }
  return { free: () => rmSync(path) };
}

/** False when the disk had no room for all of it. */
function hasWritten(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  }
}

/** The error output of a failed command; "" for a successful one. */
function run(...command: string[]): string {
  try {
    const { exitCode, stderr } = Bun.spawnSync(command);
    return exitCode === 0 ? "" : stderr.toString().trim() || `exit code ${exitCode}`;
  } catch (error) {
    return String(error);
  }
}
