import { join } from "node:path";
import { type Environment, ownSession, programCommand, serverEnvironment } from "./server.ts";

/** The repository, in which users run commands. */
export const repository = join(import.meta.dir, "../..");

/** The result of a command. */
export type CommandResult = { code: number; stdout: string; stderr: string };

/**
 * Runs `waypost <args>` without the launcher, which takes longer than most commands. Separate tests cover the launcher,
 * and tests of the documents use it.
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
