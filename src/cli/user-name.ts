import { readFileSync } from "node:fs";

/** The name of a user of this system, such as "root"; "user 1000" for one without a name in /etc/passwd. */
export function userName(uid: number): string {
  const line = usersOfSystem().find((each) => each.split(":")[2] === String(uid));
  return line?.split(":")[0] ?? `user ${uid}`;
}

/** The lines of /etc/passwd; none on a system without it. */
function usersOfSystem(): string[] {
  try {
    return readFileSync("/etc/passwd", "utf8").split("\n");
  } catch {
    return [];
  }
}
