import { z } from "@hono/zod-openapi";
import { type DeletionConfirmation, deleteOwnUser } from "../access/delete-own-user.ts";
import { exportUser } from "../access/export-user.ts";
import { emailMax, passwordMax } from "../access/users.ts";
import { confirmingDeps } from "./confirmation.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { ownSession } from "./user.ts";

const endpoint = endpointUsing({ tag: "User", uses: ["attempts", "config", "db", "now"] });

/** Everything that is stored about a user; the fields of its parts may grow. */
export const userExport = z
  .object({
    format: z.literal("waypost-account"),
    version: z.int(),
    exportedAt: z.string(),
    profile: z.record(z.string(), z.unknown()),
    workspaces: z.array(z.record(z.string(), z.unknown())),
    sessions: z.array(z.record(z.string(), z.unknown())),
    apiKeys: z.array(z.record(z.string(), z.unknown())),
    oneTimeCodes: z.record(z.string(), z.unknown()),
    passkeys: z.array(z.record(z.string(), z.unknown())),
    identities: z.array(z.record(z.string(), z.unknown())),
    invites: z.array(z.record(z.string(), z.unknown())),
    savedViews: z.array(z.record(z.string(), z.unknown())),
    notifications: z.array(z.record(z.string(), z.unknown())),
  } satisfies Record<keyof Awaited<ReturnType<typeof exportUser>>, z.ZodType>)
  .openapi("UserExport");

/** An example of an export. */
export const userExportExample: z.input<typeof userExport> = {
  format: "waypost-account",
  version: 1,
  exportedAt: "2026-11-20T09:30:00.000Z",
  profile: { id: "user_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", email: "ann@example.com", name: "Ann" },
  workspaces: [{ id: 1, name: "Acme", role: "owner", joinedAt: "2026-11-20T09:30:00.000Z" }],
  oneTimeCodes: { isOn: true, since: "2026-11-20T09:30:00.000Z", recoveryCodesLeft: 10 },
  ...{ sessions: [], passkeys: [], identities: [], apiKeys: [], invites: [], savedViews: [], notifications: [] },
};

const Confirmation = z
  .object({
    confirm: z
      .string()
      .max(emailMax, `must have at most ${emailMax} characters`)
      .openapi({ description: "Your e-mail address, as a confirmation.", example: "ann@example.com" }),
    currentPassword: z
      .string()
      .max(passwordMax, `must have at most ${passwordMax} characters`)
      .optional()
      .openapi({ description: "Required if you have a password. Others must have signed in within 10 minutes." }),
  } satisfies Record<keyof DeletionConfirmation, z.ZodType>)
  .openapi("UserDeletion");

/** The operations on the end of the caller's account. */
export const accountEndpoints = [
  endpoint({
    isAboutUser: true,
    allowsNoWorkspace: true,
    method: "get",
    path: "/user/export",
    operationId: "exportUser",
    summary: "Export your data",
    description: "Returns everything that is stored about you. Links and clicks belong to workspaces.",
    scope: "session",
    responseSchema: userExport,
    responseExample: userExportExample,
    handle: ({ deps, actor }) => exportUser(deps, actor.userId),
  }),
  endpoint({
    isAboutUser: true,
    allowsNoWorkspace: true,
    method: "post",
    path: "/user/deletion",
    operationId: "deleteUser",
    summary: "Delete your account",
    description:
      "Erases your profile, sessions, passkeys, API keys, memberships, invites, private views and subscriptions at once. Links and shared views stay with their workspaces. Refused while you are the only owner of a workspace.",
    scope: "session",
    bodySchema: Confirmation,
    bodyExample: { confirm: "ann@example.com", currentPassword: "correct horse battery" },
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: "user_01KAFXV8E3M2Q7N4T9W5Y6Z0AB" },
    problems: ["conflict"],
    handle({ deps, actor, body, request }) {
      return deleteOwnUser(confirmingDeps(deps, request), ownSession(actor), body);
    },
  }),
];
