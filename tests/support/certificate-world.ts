/** The certificates of a process with a real database and a real authority, and the names that it may order for. */
import { createServer as createHttpServer, type Server } from "node:http";
import { openLog } from "../../src/base/log.ts";
import type { ChallengeType } from "../../src/certificates/acme-calls.ts";
import { openAuthority } from "../../src/certificates/authority.ts";
import { CertificateCache } from "../../src/certificates/certificate-cache.ts";
import type { CertificateSource } from "../../src/certificates/certificate-source.ts";
import { type DueDeps, orderDueCertificates } from "../../src/certificates/order-due-certificates.ts";
import { openSealedKeys } from "../../src/certificates/sealed-keys.ts";
import { readConfig } from "../../src/config.ts";
import { openResolver, type Resolver } from "../../src/domains/dns.ts";
import { engines, type TestDatabase, testDatabase } from "./databases.ts";
import type { Pebble } from "./pebble.ts";

const secret = "a secret that only the tests know, of 32 characters";
const stepsMax = 100;

type WorldOptions = {
  challengeType?: ChallengeType;
  secret?: string;
  /** The directory, if it is not the authority's, such as that of a proxy. */
  directory?: string;
  externalAccount?: { keyId: string; hmacKey: string };
  /** True when names with "www." have DNS records too. */
  routesWww?: boolean;
};

/** Opens a process on a database; the same database twice is a restart. */
export async function openWorld(pebble: Pebble, test: TestDatabase, options: WorldOptions = {}) {
  const { db } = test.database;
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const lines: string[] = [];
  const log = openLog("info", (line) => lines.push(line));
  const keys = openSealedKeys(options.secret ?? secret);
  const source = new CertificateCache({ db, keys, log, now });
  await source.refresh();
  const resolver = openResolver({ servers: [pebble.dns], budgetMs: 5_000 });
  const authority = openAuthority({
    ...readConfig({}),
    WAYPOST_ACME_DIRECTORY: new URL(options.directory ?? pebble.directory),
    WAYPOST_ACME_CA: pebble.caFile,
    WAYPOST_ACME_EAB_KEY_ID: options.externalAccount?.keyId,
    WAYPOST_ACME_EAB_HMAC_KEY: options.externalAccount?.hmacKey,
  });
  const deps: DueDeps = {
    ...{ db, now, log, keys, authority },
    random: () => 0.5,
    resolver: options.routesWww ? resolver : withoutWwwNames(resolver),
    target: { cnameTarget: "links.test", ips: ["127.0.0.1"] },
    email: "operator@example.com",
    challengeType: options.challengeType ?? "http-01",
    refresh: () => source.refresh(),
    visibleAfterMs: 0,
  };
  const stopping = new AbortController();
  return {
    ...{ db, clock, now, lines, source, deps, stopping },
    /** Takes steps until nothing is due. */
    async order(): Promise<void> {
      for (let steps = 0; steps < stepsMax; steps++) {
        if ((await orderDueCertificates(deps, stopping.signal)) === "idle") return;
      }
      throw new Error("There is always something due.");
    },
    row: (name: string) => db.selectFrom("certificates").selectAll().where("name", "=", name).executeTakeFirstOrThrow(),
    close: () => authority.close(),
  };
}

/** The challenge server has records for every name. */
function withoutWwwNames({ lookup }: Pick<Resolver, "lookup">): Pick<Resolver, "lookup"> {
  return {
    lookup: async (name, type) =>
      name.startsWith("www.") ? { kind: "absent", reason: "nxdomain", server: "192.0.2.53" } : await lookup(name, type),
  };
}

/** A database with a workspace that has proven these names. */
export async function databaseWith(names: readonly string[]): Promise<TestDatabase> {
  const test = await testDatabase(engines[0]);
  await addProven(test, names);
  return test;
}

export async function addProven({ database }: TestDatabase, names: readonly string[]): Promise<void> {
  const { id: workspaceId } = await database.db
    .insertInto("workspaces")
    .values({ name: "Test", avatarFile: null, createdAt: 0 })
    .returning("id")
    .executeTakeFirstOrThrow();
  await addProvenTo(workspaceId, { database }, names);
}

/** Adds verified domains to a workspace. */
export async function addProvenTo(
  workspaceId: number,
  { database: { db } }: Pick<TestDatabase, "database">,
  names: readonly string[],
): Promise<void> {
  const row = {
    workspaceId,
    status: "verified",
    failingSince: null,
    checkedAt: null,
    nextCheckAt: 0,
    unansweredChecks: 0,
    token: "t",
    isInstance: 0,
    primary: 0,
    archived: 0,
    caseSensitive: 0,
    honorDoNotTrack: 0,
    placeholder: null,
    expiredUrl: null,
    notFoundUrl: null,
    logo: null,
    httpsRedirect: 1,
    hstsMaxAgeSeconds: null,
    assetLinks: null,
    appleAppSiteAssociation: null,
    createdAt: 0,
    updatedAt: 0,
  } as const;
  await db
    .insertInto("domains")
    .values(names.map((slug) => ({ ...row, id: `dom_${slug}`, slug })))
    .execute();
}

/** Answers HTTP-01 challenges from a source, as the HTTP port does. */
export async function serveHttpChallenges(port: number, source: () => CertificateSource): Promise<Server> {
  const server = createHttpServer((request, response) => {
    const [, token = ""] = /^\/\.well-known\/acme-challenge\/(.+)$/.exec(request.url ?? "") ?? [];
    const answer = source().httpChallengeResponse(token);
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? "");
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

/** A directory in front of the authority's, whose answers a test changes. */
export async function openDirectoryProxy(pebble: Pebble) {
  /** The names in CAA records that the directory announces, and the answer to new orders; undefined for the authority's. */
  const answers: {
    caaIdentities?: string[];
    newOrder?: { status: number; headers: Record<string, string>; body: string };
    /** How often the answer to new orders is given before the directory announces the authority's again. */
    newOrderTimes?: number;
  } = {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (new URL(request.url).pathname === "/new-order") {
        const { status = 500, headers = {}, body = "" } = answers.newOrder ?? {};
        if (answers.newOrderTimes !== undefined && --answers.newOrderTimes === 0) delete answers.newOrder;
        return new Response(body, { status, headers });
      }
      const directory = await fetch(pebble.directory, { tls: { rejectUnauthorized: false } });
      const resources: Record<string, unknown> = Object(await directory.json());
      const { caaIdentities, newOrder } = answers;
      return Response.json({
        ...resources,
        ...(caaIdentities === undefined ? {} : { meta: { caaIdentities } }),
        ...(newOrder === undefined ? {} : { newOrder: new URL("/new-order", request.url).href }),
      });
    },
  });
  return { answers, directory: `http://127.0.0.1:${server.port}/dir`, close: () => server.stop(true) };
}
