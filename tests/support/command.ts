import { join } from "node:path";
import { type Environment, ownSession, programCommand, serverEnvironment } from "./server.ts";

/** The repository, from where a user gives commands. */
export const repository = join(import.meta.dir, "../..");

/** What a command came back with. */
export type CommandResult = { code: number; stdout: string; stderr: string };

/**
 * A command of Waypost, `waypost <words>`. The launcher takes longer than most of them; separate tests and
 * those of the documents go through it.
 */
export async function waypost(
  args: readonly string[],
  { data, environment = {}, input = "" }: { data: string; environment?: Environment; input?: string },
): Promise<CommandResult> {
  const child = Bun.spawn(programCommand(...args), {
    ...ownSession,
    cwd: repository,
    env: serverEnvironment(data, environment),
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}
