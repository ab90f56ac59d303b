import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { revokeSignIns } from "./revoke-sign-ins.ts";

/** Ends the user's sessions, one-time links, API keys and open invites. Memberships and the password stay. */
export async function revokeAccess(tx: Tx, userId: string, at: number): Promise<void> {
  await revokeSignIns(tx, userId);
  await revokeKeys(tx, userId, at);
  await revokeInvites(tx, userId, at);
}

async function revokeKeys(tx: Tx, userId: string, at: number): Promise<void> {
  const keys = await tx
    .deleteFrom("apiKeys")
    .where("userId", "=", userId)
    .returning(["id", "workspaceId", "name", "prefix"])
    .execute();
  await emit(
    tx,
    ...keys.map(({ id, workspaceId, ...data }) => eventBy({ workspaceId, userId }, "apiKey.revoked", id, at, data)),
  );
}

async function revokeInvites(tx: Tx, userId: string, at: number): Promise<void> {
  const invites = await tx
    .deleteFrom("invites")
    .where("userId", "=", userId)
    .returning(["id", "workspaceId", "email", "role"])
    .execute();
  await emit(
    tx,
    ...invites.map(({ id, workspaceId, ...data }) => eventBy({ workspaceId, userId }, "invite.revoked", id, at, data)),
  );
}
