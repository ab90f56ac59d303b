/**
 * Runs the steps of the Dockerfile without Docker: `node bin/bun.mjs tests/support/check-container.ts`. Like Docker, it
 * builds as the caller and serves as an ordinary user.
 *
 * 1. Copies and runs in an empty folder what the first stage copies and runs. Needs the npm registry.
 * 2. Takes all write permissions from the folder, as a read-only root file system does.
 * 3. Starts Waypost with the entry point and checks it, also with the health check of the image.
 * 4. Compares the compressed size with the limit of the image, less the base image.
 */
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkService, run } from "./check-service.ts";
import { repository } from "./command.ts";

const compressedBytesMax = 250_000_000;
/** node:22-bookworm-slim takes about 80 MB; it cannot be fetched where no registry of images is reachable. */
const baseBytes = 80_000_000;
const nobody = 65_534;

const dockerfile = readFileSync(join(repository, "Dockerfile"), "utf8").replaceAll("\\\n", " ");
const [, buildStage = "", finalStage = ""] = dockerfile.split(/^FROM .*$/m);
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

const folder = mkdtempSync(join(tmpdir(), "waypost-container-"));
try {
  await check();
} finally {
  await run(["chmod", "-R", "u+w", folder], folder);
  rmSync(folder, { recursive: true });
}

async function check(): Promise<void> {
  const app = join(folder, "app");
  const data = join(folder, "data");
  for (const path of [app, data]) mkdirSync(path);
  // Another user must be able to enter.
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(data, nobody, nobody);
  await build(app);
  await run(["chmod", "-R", "a-w", app], app);
  const command = [...asNobody, ...wordsOf("ENTRYPOINT"), ...wordsOf("CMD")];
  await checkService({ command, cwd: app, data, probe: [...asNobody, ...wordsOf("HEALTHCHECK .* CMD")] });
  const bytes = Number(await run(["sh", "-c", "tar -c . | gzip | wc -c"], app));
  console.log(
    `The image takes about ${megabytes(bytes + baseBytes)} compressed, ${megabytes(bytes)} without its base.`,
  );
  if (bytes + baseBytes > compressedBytesMax) throw new Error(`More than ${megabytes(compressedBytesMax)}.`);
}

/** Carries out COPY and RUN of the first stage. */
async function build(app: string): Promise<void> {
  for (const [, instruction, words = ""] of buildStage.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    console.log(`${instruction} ${words}`);
    if (instruction === "RUN") await run(["sh", "-ec", words], app);
    else copy(words.split(/\s+/), app);
  }
}

function copy(paths: string[], app: string): void {
  const to = paths.pop() ?? ".";
  for (const path of paths) {
    const target = to === "./" ? join(app, path) : join(app, to);
    mkdirSync(dirname(target), { recursive: true });
    // What .dockerignore leaves out below these folders.
    const filter = (source: string) => !/\.test\.tsx?$|dashboard\/dist$/.test(source);
    cpSync(join(repository, path), target, { recursive: true, filter });
  }
}

/** The words of an instruction of the last stage in JSON form. */
function wordsOf(instruction: string): string[] {
  const [, words] = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(finalStage) ?? [];
  if (words === undefined) throw new Error(`The Dockerfile has no ${instruction}.`);
  return JSON.parse(words);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
