import { z } from "zod";
import type { OperationName } from "../../src/admin/operations.ts";
import { callServer } from "../../src/admin/socket.ts";
import { readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import type { Role } from "../../src/database/schema.ts";
import type { TestService } from "./server.ts";
import { withDatabase } from "./server-database.ts";

const Tenant = z.object({ userId: z.string(), workspaceId: z.number(), apiKey: z.string() });

/** A user of a server, with a key that acts in the workspace. */
export type Tenant = z.output<typeof Tenant> & { email: string };

/** Creates a user with a new workspace. */
export async function newTenant(server: TestService): Promise<Tenant> {
  const email = newEmail();
  return { email, ...Tenant.parse(await operate(server, "user create", { email, workspace: "Other" })) };
}

/** Creates a user with a role in an existing workspace. */
export async function newMember(server: TestService, workspaceId: number, role: Role): Promise<Tenant> {
  const email = newEmail();
  return { email, ...Tenant.parse(await operate(server, "user create", { email, join: workspaceId, role })) };
}

/** Creates a key of a user that expired in 1970. */
export async function newExpiredKey(server: TestService, email: string): Promise<string> {
  const name = crypto.randomUUID();
  const { apiKey } = Tenant.parse(await operate(server, "key create", { email, name }));
  // Written to the database, because no operation creates an expired key.
  await withDatabase(server, ({ db }) =>
    db.updateTable("apiKeys").set({ expiresAt: 1 }).where("name", "=", name).execute(),
  );
  return apiKey;
}

/** Runs an operation of the command line in the server, as `waypost user create` does. */
export async function operate(server: TestService, name: OperationName, input: unknown): Promise<unknown> {
  const { adminSocket } = dataPaths(readConfig({ WAYPOST_DATA: server.data }));
  const called = await callServer(adminSocket, name, input);
  if (called.kind === "noServer") throw new Error(`No server listens on ${adminSocket}.`);
  return called.result;
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}
