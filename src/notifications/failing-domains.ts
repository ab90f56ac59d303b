import { dayMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { DomainAlertsTable } from "../database/notification-tables.ts";
import type { Tx } from "../database/outbox.ts";
import { failingGraceMs } from "../domains/domain.ts";

/**
 * Which failing domains a notification has to announce: each one when it begins to fail, and again before its links
 * stop. A domain that recovers and fails again is announced again, since its failingSince differs.
 */

/** How long before its links stop a domain is announced again. */
const warningMs = 2 * dayMs;
/** Domains in one mail; further ones follow in the next. */
const domainsMax = 50;

/** A domain to announce. */
export type AnnouncedDomain = Pick<DomainAlertsTable, "domainId" | "failingSince" | "stage"> & {
  slug: string;
  linksStopAt: number;
};

/** The failing domains of a workspace that the notification has not announced in their current stage. */
export async function findDomainsToAnnounce(
  db: Db,
  { id, workspaceId }: { id: string; workspaceId: number },
  now: number,
): Promise<AnnouncedDomain[]> {
  const rows = await db
    .selectFrom("domains")
    .leftJoin("domainAlerts", (join) =>
      join.onRef("domainAlerts.domainId", "=", "domains.id").on("domainAlerts.notificationId", "=", id),
    )
    .select(["domains.id", "domains.slug", "domains.failingSince", "domainAlerts.failingSince as announced", "stage"])
    .where("domains.workspaceId", "=", workspaceId)
    .where("domains.status", "=", "failing")
    .whereRef("domains.slug", "<>", "domains.id")
    .orderBy("domains.id")
    .execute();
  const announced = rows.flatMap(({ id: domainId, slug, failingSince, announced, stage: said }): AnnouncedDomain[] => {
    if (failingSince === null) return [];
    const linksStopAt = failingSince + failingGraceMs;
    const stage = now >= linksStopAt - warningMs ? "endsSoon" : "began";
    const isSaid = announced === failingSince && (said === stage || said === "endsSoon");
    // Links that stopped are no news: the domain's state changes with its next check.
    return isSaid || now >= linksStopAt ? [] : [{ domainId, slug, failingSince, stage, linksStopAt }];
  });
  return announced.slice(0, domainsMax);
}

/** Records that the notification announces these domains. */
export async function recordAnnouncement(
  tx: Tx,
  notificationId: string,
  domains: readonly AnnouncedDomain[],
): Promise<void> {
  for (const { domainId, failingSince, stage } of domains) {
    await tx
      .insertInto("domainAlerts")
      .values({ notificationId, domainId, failingSince, stage })
      .onConflict((conflict) => conflict.columns(["notificationId", "domainId"]).doUpdateSet({ failingSince, stage }))
      .execute();
  }
}

/** Takes the announcement back, after a mail that the server did not accept. */
export async function withdrawAnnouncement(
  tx: Tx,
  notificationId: string,
  domains: readonly AnnouncedDomain[],
): Promise<void> {
  const ids = domains.map(({ domainId }) => domainId);
  await tx
    .deleteFrom("domainAlerts")
    .where("notificationId", "=", notificationId)
    .where("domainId", "in", ids)
    .execute();
}
