import type { TestServer } from "../server.ts";
import { operate } from "../tenants.ts";

/** Makes a user an administrator, and adds users and blocks in each state for the pages of the administration. */
export async function fillAdministration(server: TestServer, administrator: string): Promise<void> {
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
}
