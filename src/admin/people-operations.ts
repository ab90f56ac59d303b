import { z } from "zod";
import type { OnlyOwned } from "../access/delete-user.ts";
import { listSessions } from "../access/sessions.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import { disconnectIdentities, identitiesOfPerson } from "../administration/disconnect-identities.ts";
import { listAllDomains } from "../administration/domains.ts";
import { pageRowsMax, searchCharactersMax } from "../administration/page.ts";
import {
  changePersonsEmail,
  deletePerson,
  disablePerson,
  enablePerson,
  endPersonsSessions,
  exportForDeletion,
  findPerson,
  listPeople,
  setAdministrator,
} from "../administration/people.ts";
import { removePersonsCodes } from "../administration/remove-codes.ts";
import { setLimits } from "../administration/workspace-limits.ts";
import { deleteAnyWorkspace, listAllWorkspaces, transferWorkspace } from "../administration/workspaces.ts";
import { countLimitMax, retentionDaysMax } from "../base/limit-bounds.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import { type AdminDeps, operation, repeatable } from "./operation.ts";

const user = z.string().trim().min(1).max(254);
const search = z.string().trim().min(1).max(searchCharactersMax).optional();
/** The rows of a page. */
export const limit = z.int().min(1).max(pageRowsMax).default(pageRowsMax);
const workspaceId = z.int().min(1);
const newLimit = (max: number) => z.union([z.int().min(1).max(max), z.literal("unlimited")]).nullish();
const newCountLimit = newLimit(countLimitMax);
const page = z.object({ search, after: z.string().optional(), limit });

/** TABLE of the operator's operations on people, workspaces and domains. The actor is null: no user has signed in. */
export const peopleOperations = {
  "user list": repeatable(operation(page, ({ db }, input) => listPeople(db, input))),
  "user disable": operation(z.object({ user }), (deps, input) => disablePerson(deps, null, input.user)),
  "user enable": operation(z.object({ user }), (deps, input) => enablePerson(deps, null, input.user)),
  "user export": operation(z.object({ user }), exportBeforeDeletion),
  "user delete": operation(z.object({ user }), deleteUser),
  "user email": operation(z.object({ user, email: z.string() }), (deps, input) =>
    changePersonsEmail(withMailer(deps), null, input),
  ),
  "user sessions": repeatable(operation(z.object({ user }), listSessionsOf)),
  "user end-sessions": operation(z.object({ user, session: z.string().optional() }), (deps, input) =>
    endPersonsSessions(deps, null, input),
  ),
  "user administrator": operation(z.object({ user, isAdministrator: z.boolean() }), setAdministrator),
  "user remove-codes": operation(z.object({ user }), (deps, input) =>
    removePersonsCodes(withMailer(deps), null, input.user),
  ),
  "user identities": repeatable(
    operation(z.object({ user }), async (deps, input) =>
      (await identitiesOfPerson(withMailer(deps), input.user)).map(({ createdAt, ...identity }) => ({
        ...identity,
        createdAt: isoTime(createdAt),
      })),
    ),
  ),
  "user disconnect": operation(z.object({ user }), (deps, input) =>
    disconnectIdentities(withMailer(deps), null, input.user),
  ),
  "workspace list": repeatable(
    operation(z.object({ search, after: workspaceId.optional(), limit }), ({ db }, input) =>
      listAllWorkspaces(db, input),
    ),
  ),
  "workspace transfer": operation(z.object({ workspaceId, to: user }), (deps, input) =>
    transferWorkspace(deps, null, input),
  ),
  "workspace delete": operation(
    z.object({ workspaceId, confirm: z.string().min(1).max(workspaceNameMax) }),
    (deps, input) => deleteAnyWorkspace(deps, null, input),
  ),
  "workspace limits": operation(
    z.object({
      ...{ workspaceId, links: newCountLimit, domains: newCountLimit, members: newCountLimit, apiKeys: newCountLimit },
      clickRetentionDays: newLimit(retentionDaysMax),
    }),
    ({ db, now, log, app }, input) =>
      setLimits({ db, now, ...(log && { log }), reads: app?.database.reads ?? db }, null, input),
  ),
  "domain list": repeatable(operation(page, ({ db }, input) => listAllDomains(db, input))),
} as const;

/** With the mailer and the options of the running server, if there is one. */
function withMailer({ db, now, log, config, app }: AdminDeps) {
  return { db, now, ...(log && { log }), mailer: app?.mailer, config: app?.config ?? config };
}

async function exportBeforeDeletion(deps: AdminDeps, input: { user: string }) {
  const result = await exportForDeletion(deps, null, input.user);
  if (result.kind === "onlyOwner") throw onlyOwner(input.user, result.workspaces);
  return result.data;
}

async function deleteUser(deps: AdminDeps, input: { user: string }) {
  const { id, ...result } = await deletePerson(deps, null, input.user);
  if (result.kind === "onlyOwner") throw onlyOwner(input.user, result.workspaces);
  return { id };
}

function onlyOwner(user: string, workspaces: readonly OnlyOwned[]): Problem {
  const [first] = workspaces;
  const names = workspaces.map((workspace) => `${workspace.id} (${workspace.name})`).join(", ");
  const subject = workspaces.length === 1 ? "workspace" : "workspaces";
  return new Problem(
    "conflict",
    `${user} is the only owner of ${subject} ${names}. Transfer each first, for example with waypost workspace transfer ${first?.id} --to new-owner@example.com, or delete it with waypost workspace delete.`,
  );
}

async function listSessionsOf(deps: AdminDeps, input: { user: string }) {
  const { id } = await findPerson(deps.db, input.user);
  return (await listSessions(deps, id)).map((session) => ({
    id: session.id,
    label: session.label,
    createdAt: isoTime(session.createdAt),
    lastSeenAt: isoTime(session.lastSeenAt),
    expiresAt: isoTime(session.expiresAt),
  }));
}
