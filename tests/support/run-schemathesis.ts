/**
 * Tests the API with Schemathesis, which generates valid and invalid requests from our OpenAPI document and compares
 * the responses with it: `npm run schemathesis`. It runs as an owner, as a viewer and without a key, for a minute each.
 * `-- --seconds 600` sets the total time, `-- --seed 7` generates other requests, and `-- --only viewer` runs one of
 * the three.
 *
 * The script installs Schemathesis from PyPI into a temporary folder, which needs Python 3.10 or later.
 * `--program PATH` uses an installed one.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeTargets } from "./requests.ts";
import { startServer, type TestService } from "./server.ts";
import { newMember, newTenant } from "./tenants.ts";

const schemathesis = "schemathesis==4.32.5";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    seed: { type: "string", default: "17" },
    only: { type: "string" },
    program: { type: "string" },
  },
});

/** TABLE of excluded checks, with the reason. */
const excludedChecks = {
  positive_data_acceptance: "rules beyond a schema refuse valid requests, such as a link on a missing domain",
  ensure_resource_availability: "a viewer and a caller without a key cannot create links",
  // A request without a key is 401 before its parameters are read.
  missing_required_header: "no header but Authorization is required",
};

/** TABLE of excluded operations, with the reason. */
const excludedOperations = {
  streamChanges: "its response does not end",
  streamEvents: "its response does not end",
};

/** 412 is among the expected statuses, because a failed precondition also refuses an invalid request. */
const configuration = `[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 431]
`;

const folder = mkdtempSync(join(tmpdir(), "waypost-schemathesis-"));
try {
  writeFileSync(join(folder, "schemathesis.toml"), configuration);
  const program = options.program ?? install(folder);
  const server = await startServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });
  try {
    process.exitCode = await testAs(program, server);
  } finally {
    await server.remove();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function install(into: string): string {
  run("python3", "-m", "venv", join(into, "python"));
  run(join(into, "python/bin/pip"), "install", "--quiet", "--disable-pip-version-check", schemathesis);
  return join(into, "python/bin/schemathesis");
}

/** Runs Schemathesis as each caller, and returns the number of callers for whom a check failed. */
async function testAs(program: string, server: TestService): Promise<number> {
  const owner = await newTenant(server);
  await makeTargets(server, owner);
  const viewer = await newMember(server, owner.workspaceId, "viewer");
  const callers = [
    { name: "owner", key: owner.apiKey },
    { name: "viewer", key: viewer.apiKey },
    { name: "nobody", key: undefined },
  ].filter(({ name }) => options.only === undefined || name === options.only);
  let failed = 0;
  for (const caller of callers) {
    console.log(`\n== Schemathesis as ${caller.name}`);
    if (call(program, server, caller.key, Number(options.seconds) / callers.length) !== 0) failed++;
  }
  return failed;
}

function call(program: string, server: TestService, key: string | undefined, seconds: number): number {
  const args = [
    ...["run", `${server.url}/v1/openapi.json`, "--url", `${server.url}/v1`],
    ...["--max-time", String(seconds), "--seed", options.seed, "--generation-database", "none"],
    ...["--checks", "all", "--exclude-checks", Object.keys(excludedChecks).join(",")],
    ...Object.keys(excludedOperations).flatMap((id) => ["--exclude-operation-id", id]),
    ...["--request-timeout", "30", "--no-color", "--warnings", "off", "--continue-on-failure"],
    ...(key === undefined ? [] : ["--header", `Authorization: Bearer ${key}`]),
  ];
  return Bun.spawnSync([program, ...args], { stdout: "inherit", stderr: "inherit", cwd: folder }).exitCode;
}

function run(...command: string[]): void {
  const { exitCode } = Bun.spawnSync(command, { stdout: "inherit", stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}.`);
}
