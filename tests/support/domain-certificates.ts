import type { Insertable } from "kysely";
import { dayMs, hourMs } from "../../src/base/time.ts";
import type { CertificatesTable } from "../../src/database/certificate-tables.ts";
import type { Database } from "../../src/database/database.ts";
import type { Environment, TestService } from "./server.ts";
import { withDatabase } from "./server-database.ts";

/** The environment of a server that orders certificates, from an authority that cannot be reached. */
export const unreachableAuthority: Environment = {
  WAYPOST_ACME_ACCEPT_TERMS: "true",
  WAYPOST_ACME_DIRECTORY: "https://127.0.0.1:1/directory",
};

type Stored = Pick<Insertable<CertificatesTable>, "notBefore" | "notAfter" | "problemKind" | "problem">;

const refusal =
  "urn:ietf:params:acme:error:unauthorized: The server at 203.0.113.24 answered the challenge with 404, expected the key authorization. Check that port 80 of this name leads to this service, without a proxy or firewall in between.";

/** TABLE of the stored certificates by their states; times are relative to now. */
const stored: Record<"waiting" | "ordering" | "valid" | "renewalFailed" | "failed" | "expired", Stored> = {
  waiting: { ...lasting(null), problemKind: "dns", problem: "DNS does not lead to this service." },
  ordering: { ...lasting(null), problemKind: null, problem: null },
  valid: { ...lasting(60 * dayMs), problemKind: null, problem: null },
  renewalFailed: { ...lasting(12 * dayMs), problemKind: "authority", problem: refusal },
  failed: { ...lasting(null), problemKind: "authority", problem: refusal },
  expired: { ...lasting(-dayMs), problemKind: "authority", problem: refusal },
};

function lasting(ms: number | null): Pick<Stored, "notBefore" | "notAfter"> {
  return ms === null
    ? { notBefore: null, notAfter: null }
    : { notBefore: Date.now() + ms - 90 * dayMs, notAfter: Date.now() + ms };
}

/** A state of a certificate. */
export type StoredState = keyof typeof stored;

/** All states, in the order in which a list shows their domains. */
export const storedStates: readonly StoredState[] = [
  "waiting",
  "ordering",
  "valid",
  "renewalFailed",
  "failed",
  "expired",
];

/** The next attempt is so far away that none is made during a test. */
const nextAttemptMs = 6 * hourMs;

/**
 * Stores a verified domain for each state, `valid.SUFFIX` and so on. An authority that certificates can be ordered from is
 * needed for real ones; see tests/faults/certificates-service.test.ts. `publish` publishes the DNS records of a new domain,
 * for servers that check them while they are used.
 */
export async function addCertifiedDomains(
  server: TestService,
  suffix: string,
  workspaceId = 1,
  publish: (slug: string) => Promise<void> = async () => {},
): Promise<void> {
  for (const state of storedStates) {
    const slug = slugOf(state, suffix);
    const { status, body } = await server.call("POST", `/domains?workspaceId=${workspaceId}`, { body: { slug } });
    if (status !== 201) throw new Error(JSON.stringify(body));
    await publish(slug);
  }
  await withDatabase(server, async ({ db }) => {
    for (const state of storedStates) await storeCertificate({ db }, slugOf(state, suffix), state);
    const slugs = storedStates.map((state) => slugOf(state, suffix));
    await db.updateTable("domains").set({ status: "verified" }).where("slug", "in", slugs).execute();
  });
}

/** The slug of a state's domain: in lower case, as slugs are. */
export function slugOf(state: StoredState, suffix: string): string {
  return `${state.toLowerCase()}.${suffix}`;
}

/** Stores a certificate of a domain, which must not be verified yet: an order would change it. */
export async function storeCertificate({ db }: Pick<Database, "db">, name: string, state: StoredState): Promise<void> {
  const now = Date.now();
  const times = { nextAt: now + nextAttemptMs, triedAt: now, createdAt: now, changedAt: now };
  const none = { chain: null, sealedKey: null, orderUrl: null, orderKey: null, challenge: null, orderedAt: null };
  await db
    .insertInto("certificates")
    .values({ name, ...stored[state], ...times, ...none })
    .execute();
}
