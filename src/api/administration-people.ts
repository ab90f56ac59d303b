import { z } from "@hono/zod-openapi";
import { requireAdministrator } from "../access/require-administrator.ts";
import { listSessions } from "../access/sessions.ts";
import { disconnectIdentities, identitiesOfPerson } from "../administration/disconnect-identities.ts";
import {
  deletePerson,
  disablePerson,
  enablePerson,
  endPersonsSessions,
  exportPerson,
  findPerson,
  listPeople,
  type Person as PersonFields,
} from "../administration/people.ts";
import { removePersonsCodes } from "../administration/remove-codes.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import { userExport, userExportExample } from "./account.ts";
import { administrationPage } from "./administration-page.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { Identity, identityExample, serializeIdentity } from "./identities.ts";
import { sessionAccess } from "./session-access.ts";

const endpoint = endpointUsing({ tag: "Administration", uses: ["config", "db", "log", "mailer", "now"] });

const Person = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    name: z.string(),
    state: z.enum(["active", "disabled", "blocked"]),
    isDisabled: z.boolean().openapi({ description: "A blocked account can also be disabled." }),
    isAdministrator: z.boolean(),
    emailVerified: z.boolean(),
    hasOneTimeCodes: z.boolean(),
    hasPasskeys: z.boolean(),
    hasIdentities: z.boolean().openapi({ description: "Whether an identity provider signs the user in, or did." }),
    workspaces: z.int().openapi({ description: "The number of workspaces." }),
    lastSeenAt: timestamp.nullable().openapi({ description: "The last use of a session." }),
    createdAt: timestamp,
  } satisfies Record<keyof PersonFields, z.ZodType>)
  .openapi("AdministeredUser");

const personExample: z.input<typeof Person> = {
  id: "user_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  email: "ann@example.com",
  name: "Ann",
  state: "active",
  isDisabled: false,
  isAdministrator: false,
  emailVerified: true,
  hasOneTimeCodes: false,
  hasPasskeys: false,
  hasIdentities: false,
  workspaces: 2,
  lastSeenAt: "2026-11-21T10:00:00.000Z",
  createdAt: "2026-11-20T09:30:00.000Z",
};

const Session = z
  .object({ id: z.string(), label: z.string(), createdAt: timestamp, lastSeenAt: timestamp })
  .openapi("AdministeredSession");

const userPath = z.object({ userId: z.string().openapi({ example: personExample.id }) });
/** The operations of administrators on people. */
export const administrationPeopleEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/users",
    operationId: "administerUsers",
    summary: "List the users of the service",
    description: "Oldest account first. Only administrators of the service can call the operations of this group.",
    querySchema: administrationPage("A part of the name or e-mail address."),
    responseSchema: z.array(Person),
    responseExample: [personExample],
    async handle({ deps, actor, query }) {
      await requireAdministrator(deps, actor);
      return await listPeople(deps.db, query);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/users/{userId}/disable",
    operationId: "disableUser",
    summary: "Disable a user's account",
    description: "Ends sessions, API keys and open invites at once. Links keep working.",
    pathSchema: userPath,
    responseSchema: Person,
    responseExample: { ...personExample, state: "disabled", isDisabled: true },
    problems: ["conflict"],
    async handle({ deps, actor, path }) {
      await disablePerson(deps, await requireAdministrator(deps, actor), path.userId);
      return await findPerson(deps.db, path.userId);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/users/{userId}/enable",
    operationId: "enableUser",
    summary: "Enable a disabled account",
    description: "The user can sign in again. Sessions, API keys and invites do not come back.",
    pathSchema: userPath,
    responseSchema: Person,
    responseExample: personExample,
    problems: ["conflict"],
    async handle({ deps, actor, path }) {
      await enablePerson(deps, await requireAdministrator(deps, actor), path.userId);
      return await findPerson(deps.db, path.userId);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/users/{userId}/export",
    operationId: "exportUserAsAdministrator",
    summary: "Export a user's data",
    pathSchema: userPath,
    responseSchema: userExport,
    responseExample: userExportExample,
    async handle({ deps, actor, path }) {
      return await exportPerson(deps, await requireAdministrator(deps, actor), path.userId);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "delete",
    path: "/admin/users/{userId}",
    operationId: "deleteUserAsAdministrator",
    summary: "Delete a user's account",
    description:
      "Erases everything that the export contains; export it first. Links stay with their workspaces. Refused for the only owner of a workspace.",
    pathSchema: userPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: personExample.id },
    problems: ["conflict"],
    async handle({ deps, actor, path }) {
      const result = await deletePerson(deps, await requireAdministrator(deps, actor), path.userId);
      if (result.kind === "deleted") return { id: result.id };
      const names = result.workspaces.map(({ name }) => name).join(", ");
      throw new Problem("conflict", `This user is the only owner of ${names}. Transfer or delete the workspace first.`);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/users/{userId}/sessions",
    operationId: "listUserSessions",
    summary: "List a user's sessions",
    pathSchema: userPath,
    responseSchema: z.array(Session),
    responseExample: [
      {
        id: "session_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
        label: "Firefox on Linux",
        createdAt: "2026-11-20T09:30:00.000Z",
        lastSeenAt: "2026-11-21T10:00:00.000Z",
      },
    ],
    async handle({ deps, actor, path }) {
      await requireAdministrator(deps, actor);
      const { id } = await findPerson(deps.db, path.userId);
      return (await listSessions(deps, id)).map((session) => ({
        id: session.id,
        label: session.label,
        createdAt: isoTime(session.createdAt),
        lastSeenAt: isoTime(session.lastSeenAt),
      }));
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/users/{userId}/sign-out",
    operationId: "signOutUser",
    summary: "End all sessions of a user",
    pathSchema: userPath,
    responseSchema: z.object({ ended: z.int() }),
    responseExample: { ended: 2 },
    async handle({ deps, actor, path }) {
      const { ended } = await endPersonsSessions(deps, await requireAdministrator(deps, actor), { user: path.userId });
      return { ended };
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "delete",
    path: "/admin/users/{userId}/one-time-codes",
    operationId: "removeUserOneTimeCodes",
    summary: "Remove the one-time codes and passkeys of a user who lost them",
    description:
      "Removes the recovery codes too, so that signing in asks for no code. Sessions that began with a passkey end. The user gets a mail, and the audit logs of their workspaces record it.",
    pathSchema: userPath,
    responseSchema: z.object({
      id: z.string(),
      isMailed: z.boolean().openapi({ description: "Whether the mail server accepted the mail to the user." }),
    }),
    responseExample: { id: personExample.id, isMailed: true },
    problems: ["conflict"],
    async handle({ deps, actor, path }) {
      const operator = await requireAdministrator(deps, actor);
      return await removePersonsCodes(deps, operator, path.userId);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/users/{userId}/identities",
    operationId: "listUserIdentities",
    summary: "List the identity providers that sign a user in",
    pathSchema: userPath,
    responseSchema: z.array(Identity),
    responseExample: [identityExample],
    async handle({ deps, actor, path }) {
      await requireAdministrator(deps, actor);
      return (await identitiesOfPerson(deps, path.userId)).map(serializeIdentity);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "delete",
    path: "/admin/users/{userId}/identities",
    operationId: "disconnectUserIdentities",
    summary: "Disconnect a user from all identity providers",
    description:
      "Ends the sessions that began there. The next sign-in with the provider connects it again, if both sides have verified the same address. The user gets a mail, and the audit logs of their workspaces record it.",
    pathSchema: userPath,
    responseSchema: z.object({ id: z.string(), disconnected: z.int() }),
    responseExample: { id: personExample.id, disconnected: 1 },
    problems: ["conflict"],
    async handle({ deps, actor, path }) {
      return await disconnectIdentities(deps, await requireAdministrator(deps, actor), path.userId);
    },
  }),
];
