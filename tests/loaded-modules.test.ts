/** What a process loads when it starts: memory and time that every start pays. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const repository = resolve(import.meta.dir, "..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** The packages and files that a file loads with its static imports, and those that these load; types load nothing. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set<string>();
  const waiting = [join(repository, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(relative(repository, file))) continue;
    loaded.add(relative(repository, file));
    if (!file.endsWith(".ts")) continue;
    for (const { path, kind } of transpiler.scanImports(readFileSync(file))) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) waiting.push(resolve(dirname(file), path));
      else loaded.add(path);
    }
  }
  return loaded;
}

/** Packages of threads and of other processes, and those that few calls need. */
const loadedLater = ["@duckdb/node-api", "acme-client", "nodemailer"];

test.each(["src/main.ts", "src/cli/run-service.ts", "src/worker-main.ts"])(
  "%s loads no package that only a thread, another process or few calls need",
  (entry) => {
    const loaded = loadedBy(entry);

    expect(loaded.size).toBeGreaterThan(10);
    expect(loadedLater.filter((name) => loaded.has(name))).toEqual([]);
  },
);

test("the store process loads the engine, as this test sees it", () => {
  expect(loadedBy("src/clicks/pipeline-worker.ts").has("@duckdb/node-api")).toBe(true);
});
