import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, repository } from "./command.ts";
import { type Environment, ownSession, programFlags, serverEnvironment } from "./server.ts";

/** The id of the system user "nobody". */
export const otherUserId = 65_534;

/** The program at a path where root and another user may run it. */
export type SharedProgram = {
  /** The command that runs Waypost with these arguments as a user. */
  command(uid: number, ...args: string[]): string[];
  run(uid: number, args: readonly string[], data: string, environment?: Environment): Promise<CommandResult>;
  unmount(): void;
};

/**
 * Mounts the repository at a path that every user can enter, because other users may have no access to the folders
 * above the repository. Only root can mount. Throws Error with the output of `mount` on failure.
 */
export function shareProgram(): SharedProgram {
  const folder = mkdtempSync(join(tmpdir(), "waypost-shared-"));
  run("chmod", "755", folder);
  const program = join(folder, "program");
  mkdirSync(program, { mode: 0o755 });
  run("mount", "--bind", repository, program);
  const shared = (path: string) => path.replace(repository, program);
  const command = (uid: number, ...args: string[]) => [
    ...["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"],
    ...[process.execPath, ...programFlags].map(shared),
    ...args,
  ];
  return {
    command,
    async run(uid, args, data, environment = {}) {
      const child = Bun.spawn(command(uid, ...args), {
        ...ownSession,
        cwd: program,
        env: serverEnvironment(data, environment),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { code, stdout, stderr };
    },
    unmount() {
      // The store process of a killed server ends shortly after the server, and keeps the mount busy until then.
      run("umount", "--lazy", program);
      rmSync(folder, { recursive: true });
    },
  };
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
