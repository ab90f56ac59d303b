import { spyOn } from "bun:test";
import { runCommand } from "../../src/cli/run-command.ts";
import type { CommandResult } from "./command.ts";
import { type Environment, serverEnvironment } from "./server.ts";

/**
 * Runs `waypost <words>` in the process of the tests, because a new process takes a third of a second of a core.
 * Commands that read standard input need a separate process, and so do commands at the same time, because each command
 * here replaces the environment and the output of the whole process.
 */
export async function runInProcess(
  words: readonly string[],
  { data, environment = {} }: { data: string; environment?: Environment },
): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") =>
    spyOn(process[name], "write").mockImplementation((text) => {
      output[name] += String(text);
      return true;
    });
  const spies = [collect("stdout"), collect("stderr"), spyOn(process, "exit").mockImplementation(endCommand)];
  const [inherited, umask, exitCode] = [process.env, process.umask(privateFiles), process.exitCode];
  process.env = serverEnvironment(data, environment);
  process.exitCode = 0;
  try {
    await runCommand(["waypost", "waypost", ...words]);
    return { code: Number(process.exitCode), ...output };
  } catch (error) {
    if (error instanceof CommandEnd) return { code: error.code, ...output };
    throw error;
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.env = inherited;
    process.umask(umask);
    process.exitCode = exitCode ?? 0;
  }
}

/** The umask that the program's entry sets. */
const privateFiles = 0o077;

class CommandEnd extends Error {
  constructor(readonly code: number) {
    super(`The command ended with the exit code ${code}.`);
  }
}

function endCommand(code?: number | string | null): never {
  throw new CommandEnd(Number(code ?? process.exitCode ?? 0));
}
