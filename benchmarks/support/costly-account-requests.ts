/** TABLE of the most expensive known request of the operations on accounts and on the whole instance. */
import { bodyLimits } from "../../src/api/http/json-body.ts";
import type { CostlyRequest, Requests, World } from "./costly-request.ts";
import { ownerEmail, ownerPassword } from "./servers.ts";

const noInput = (): CostlyRequest => ({});
const padded = (body: object) => ({ body: JSON.stringify(body).padEnd(bodyLimits.standard.bytesMax) });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** A request about a new user, who is in no other request. */
async function newUser({ join }: World): Promise<CostlyRequest> {
  return { parameters: { userId: (await join()).userId } };
}

const newHost = () => ({ kind: "host", target: `${crypto.randomUUID()}.example.net`, reason: "r".repeat(500) });

/** Texts of the maximum size, which no authenticator has made. */
const response = { clientDataJSON: "A".repeat(4_000), attestationObject: "A".repeat(32_000) };
const unknownPasskey = { parameters: { id: "passkey_none" } };

/** TABLE by operation of the API. */
export const accountRequests: Requests = {
  exportUser: noInput,
  async deleteUser({ join, callAs }) {
    const { token } = await join();
    const email = `${crypto.randomUUID()}@example.com`;
    await callAs(token, "PATCH", "/user", { email, currentPassword: ownerPassword });
    return { ...padded({ confirm: email, currentPassword: ownerPassword }), headers: bearer(token) };
  },
  getOneTimeCodes: noInput,
  beginOneTimeCodes: () => padded({ currentPassword: ownerPassword }),
  confirmOneTimeCodes: () => padded({ code: "000000" }),
  turnOffOneTimeCodes: () => padded({ currentPassword: ownerPassword }),
  renewRecoveryCodes: () => padded({ currentPassword: ownerPassword }),
  listIdentities: noInput,
  disconnectIdentity: () => ({
    ...padded({ currentPassword: ownerPassword }),
    parameters: { id: `identity_${"0".repeat(32)}` },
  }),
  listPasskeys: noInput,
  beginPasskey: () => padded({ currentPassword: ownerPassword }),
  addPasskey: () => padded({ name: "n".repeat(100), id: "A".repeat(1_364), ...response }),
  getPasskey: () => unknownPasskey,
  renamePasskey: () => ({ ...unknownPasskey, ...padded({ name: "n".repeat(100) }) }),
  removePasskey: () => ({ ...unknownPasskey, ...padded({ currentPassword: ownerPassword }) }),
  listAuditLog: noInput,
  exportAuditLog: () => ({ query: "?format=csv" }),
  listDomainCertificates: noInput,
  administerUsers: () => ({ query: `?search=${"e".repeat(50)}` }),
  disableUser: newUser,
  async enableUser(world) {
    const { userId } = await world.join();
    await world.call("POST", `/admin/users/${userId}/disable`);
    return { parameters: { userId } };
  },
  exportUserAsAdministrator: newUser,
  deleteUserAsAdministrator: newUser,
  listUserSessions: newUser,
  signOutUser: newUser,
  administerWorkspaces: noInput,
  administerInstance: noInput,
  administerWorkspaceLimits: () => ({ parameters: { id: "1" } }),
  getWorkspaceLimits: noInput,
  setWorkspaceLimits: () => ({ ...padded({ links: 100_000_000 }), parameters: { id: "1" } }),
  removeUserOneTimeCodes: newUser,
  listUserIdentities: newUser,
  disconnectUserIdentities: newUser,
  async transferWorkspace({ call, join }) {
    const { userId } = await join();
    const { id } = await call("POST", "/workspaces", { name: crypto.randomUUID() });
    return { ...padded({ to: userId }), parameters: { id } };
  },
  async deleteWorkspaceAsAdministrator({ call }) {
    const name = crypto.randomUUID();
    const { id } = await call("POST", "/workspaces", { name });
    return { parameters: { id }, query: `?confirm=${name}` };
  },
  administerDomains: noInput,
  administerBlocks: noInput,
  administerNodes: noInput,
  block: () => padded(newHost()),
  async unblock({ call }) {
    const { kind, target, reason } = newHost();
    await call("POST", "/admin/blocks", { kind, target, reason });
    return { parameters: { kind, target } };
  },
};

/** What makes the owner of the benchmark's world an administrator of its instance. */
export const administratorInput = { user: ownerEmail, isAdministrator: true };
