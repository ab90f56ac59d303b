import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Engine, preamble } from "./statement.ts";

const script = fileURLToPath(new URL("./pypi-engine.py", import.meta.url));

/** The most bytes of a statement and its parameters. */
const queryBytesMax = 256 * 1024 ** 2;

/** A line of pypi-engine.py. */
type Answer = { base64: string } | { error: string };

/**
 * Opens the engine of the PyPI package chdb-core, in a process of the given Python. It has one connection, so statements run
 * one by one, and the settings of each are reset after it.
 */
export async function openPypiEngine(python: string, folder: string): Promise<Engine> {
  const child = spawn(python, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
  // A bridge without its engine is a ClickHouse that died.
  child.on("error", (error) => fail(`${python}: ${error.message}`));
  child.on("exit", () => fail("The engine of CHDB_PYTHON ended. Install the package chdb-core for this Python."));
  const waiting: ((answer: Answer) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  const query = (sql: string) =>
    new Promise<Answer>((resolve) => {
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(sql)}\n`);
    });
  for (const sql of [
    "CREATE DATABASE IF NOT EXISTS default ENGINE = Atomic",
    // Parameters are in the text of the statement here, beside a server's limit of 256 kB.
    `SET max_query_size = ${queryBytesMax}`,
  ]) {
    const answer = await query(sql);
    if ("error" in answer) throw new Error(answer.error);
  }
  return {
    async run({ sql, database, settings, parameters }) {
      const bound = Object.entries(parameters).map(([name, value]) => [`param_${name}`, value] as const);
      const answering = query(preamble({ database, settings: [...settings, ...bound] }) + sql);
      // Queued before any other statement. Parameters stay, but every statement sets those that it names.
      for (const [name] of settings) query(`SET ${name} = DEFAULT`);
      const answer = await answering;
      if ("error" in answer) throw new Error(answer.error);
      return Buffer.from(answer.base64, "base64");
    },
  };
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
