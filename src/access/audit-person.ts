import { auditRow } from "../database/audit-entries.ts";
import type { AuditType } from "../database/audit-table.ts";
import type { Tx } from "../database/outbox.ts";
import { insertRows } from "../database/prepared.ts";

/**
 * A change of a person's account. `byUserId` is null for the service and its operator; `data` has `before` or `after`.
 */
type PersonChange = { userId: string; byUserId: string | null; type: AuditType; data: Record<string, unknown> };

/** Adds a change of a person's account to the audit log of each of their workspaces. */
export async function auditPerson(tx: Tx, { userId, byUserId, type, data }: PersonChange, at: number): Promise<void> {
  const members = await tx.selectFrom("members").select("workspaceId").where("userId", "=", userId).execute();
  const rows = members.map(({ workspaceId }) =>
    auditRow(type, { workspaceId, objectId: userId, userId: byUserId, at, data }),
  );
  await insertRows(tx, "auditEntries", rows);
}
