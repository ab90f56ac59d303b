import type { Actor } from "../access/actor.ts";
import { refuseBlockedDomain } from "../access/blocks.ts";
import { requireDomainLinksWriter } from "../access/folder-access.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { invalid } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { DomainsTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { asSlugConflict, readSlug, refuseSlugInUse } from "./create-domain.ts";
import { forgetChecks } from "./domain-checks.ts";
import { asJson, flag, readSettings, type SettingsInput } from "./domain-settings.ts";
import {
  type DomainRow,
  findOwnDomain,
  newToken,
  normalHost,
  refuseWithForeignLinks,
  requireEditor,
} from "./domains.ts";

/** Changes of a domain: an absent setting stays, null clears it. */
type DomainChanges = SettingsInput & {
  /** A new slug makes the domain pending until its ownership is verified again. */
  slug?: string | undefined;
  caseSensitive?: boolean | undefined;
};

type Deps = { db: Db; now: () => number };

/**
 * Changes a domain of the actor's workspace and returns it; unchanged settings are not recorded.
 * Throws "not_found"; "forbidden" for the instance's domain unless the actor is an owner, and for a new slug while
 * other workspaces have links on the domain or when requireDomainLinksWriter throws; "unprocessable_entity" naming the
 * field, also for a change of caseSensitive and of the instance's slug; "conflict" for a new slug in use.
 */
export async function updateDomain(
  { db, now }: Deps,
  actor: Actor,
  { slug, changes }: { slug: string; changes: DomainChanges },
): Promise<DomainRow> {
  const settings = readSettings(changes);
  return await asSlugConflict(changes.slug?.trim() ?? slug, () =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, actor.workspaceId);
      const domain = await findOwnDomain(tx, actor.workspaceId, slug);
      requireEditor(actor, domain);
      requireSameCaseRule(domain, changes.caseSensitive);
      const at = now();
      const renaming = await renamingOf(tx, actor, domain, { slugText: changes.slug, now: at });
      return await storeChanges(tx, actor, domain, { ...settings, ...renaming }, at);
    }),
  );
}

/** Keys are stored in the form of this setting. Without caseSensitive, the keys of two links could become equal. */
function requireSameCaseRule(domain: DomainRow, caseSensitive: boolean | undefined): void {
  if (caseSensitive === undefined || flag(caseSensitive) === domain.caseSensitive) return;
  throw invalid("caseSensitive", "can only be set when the domain is created.");
}

async function renamingOf(
  tx: Tx,
  actor: Actor,
  domain: DomainRow,
  { slugText, now }: { slugText: string | undefined; now: number },
): Promise<Partial<DomainRow>> {
  if (slugText === undefined) return {};
  if (domain.isInstance === 1) {
    if (normalHost(slugText) === domain.slug) return {};
    throw invalid("slug", "the service's own domain is set by WAYPOST_URL and cannot be renamed here.");
  }
  const slug = readSlug(slugText);
  if (slug === domain.slug) return {};
  await refuseBlockedDomain(tx, domain.slug);
  await refuseWithForeignLinks(tx, domain);
  await requireDomainLinksWriter(tx, actor, domain.id);
  await refuseBlockedDomain(tx, slug);
  await refuseSlugInUse(tx, actor, slug);
  await forgetChecks(tx, domain.id);
  const unchecked = { checkedAt: null, nextCheckAt: now, unansweredChecks: 0 };
  return { slug, status: "pending", failingSince: null, token: newToken(), ...unchecked };
}

async function storeChanges(
  tx: Tx,
  actor: Actor,
  domain: DomainRow,
  changes: Partial<DomainRow>,
  now: number,
): Promise<DomainRow> {
  const after: DomainRow = { ...domain, ...changes };
  const changed = (Object.keys(changes) as (keyof DomainsTable)[]).filter((name) => after[name] !== domain[name]);
  if (changed.length === 0) return domain;
  after.updatedAt = now;
  await tx.updateTable("domains").set(changes).set({ updatedAt: now }).where("id", "=", domain.id).execute();
  const recorded = changed.filter((name) => !unrecorded.includes(name));
  await emit(
    tx,
    eventBy({ ...actor, workspaceId: domain.workspaceId }, "domain.updated", domain.id, now, {
      slug: after.slug,
      before: asJson(pick(domain, recorded)),
      after: asJson(pick(after, recorded)),
    }),
  );
  return after;
}

/** Columns of the checks, which a renaming resets. */
const unrecorded: readonly (keyof DomainsTable)[] = [
  "token",
  "failingSince",
  "checkedAt",
  "nextCheckAt",
  "unansweredChecks",
];

function pick(domain: DomainRow, names: (keyof DomainsTable)[]): Partial<DomainRow> {
  return Object.fromEntries(names.map((name) => [name, domain[name]]));
}
