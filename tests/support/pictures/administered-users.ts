import { minuteMs } from "../../../src/base/time.ts";
import { reportNode } from "../../../src/nodes/report-node.ts";
import { addIdentity } from "../identities.ts";
import type { TestService } from "../server.ts";
import { withDatabase } from "../server-database.ts";
import { operate } from "../tenants.ts";

/** Makes a user an administrator, and adds users and blocks in each state for the pages of the administration. */
export async function fillAdministration(server: TestService, administrator: string): Promise<void> {
  await operate(server, "user administrator", { user: administrator, isAdministrator: true });
  const blocked = "promo@cheap-watches.example";
  const disabled = "lena@kestrel.coffee";
  await operate(server, "user create", { email: blocked, name: "Promo Team", workspace: "Cheap Watches" });
  await operate(server, "user create", { email: disabled, name: "Lena Sommer", workspace: "Archive 2024" });
  await operate(server, "user disable", { user: disabled });
  for (const block of [
    { kind: "user", target: blocked, reason: "Spam, reported by three people" },
    { kind: "host", target: "cheap-watches.example", reason: "Counterfeit shop" },
  ]) {
    await operate(server, "block", block);
  }
  await withDatabase(server, async ({ db }) => {
    const jonas = db.selectFrom("users").select("id").where("email", "=", "jonas@kestrel.coffee");
    await addIdentity(db, (await jonas.executeTakeFirstOrThrow()).id, "jonas@id.example.com");
  });
  await addNodes(server);
}

/** Adds nodes that run elsewhere: one reports, one has stopped, and one has died with clicks on its disk. */
async function addNodes(server: TestService): Promise<void> {
  const now = Date.now();
  const node = { version: "0.1.0", copyAt: now };
  const read = (spoolId: string) => [{ spoolId, end: 0, stored: 0, counted: 0 }];
  await withDatabase(server, async ({ db }) => {
    // It is in the future, so that it does not fall silent while the pictures are taken.
    const soon = now + 60 * minuteMs;
    await reportNode(db, { ...node, id: "node_1", host: "links-1", state: "running", spools: read("a") }, soon);
    await reportNode(db, { ...node, id: "node_2", host: "links-2", state: "stopped", spools: [] }, now - 3 * minuteMs);
    const waiting = [{ spoolId: "c", end: 18_432, stored: 0, counted: 0 }];
    await reportNode(db, { ...node, id: "node_3", host: "links-3", state: "running", spools: waiting }, now - minuteMs);
    await db.insertInto("leaders").values({ name: "tasks", nodeId: "node_1", token: 1 }).execute();
  });
}
