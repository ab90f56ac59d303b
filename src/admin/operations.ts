import { z } from "zod";
import { type Scope, scopes } from "../access/actor.ts";
import { insertApiKey, refusePastExpiry } from "../access/api-keys.ts";
import { firstKey } from "../access/bootstrap.ts";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { addMember } from "../access/members.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { nameFromEmail } from "../access/person-name.ts";
import { insertSignInLink, insertUser, normalizeEmail, setPassword } from "../access/users.ts";
import { verifyEmail } from "../access/verify-email.ts";
import { insertWorkspace, workspaceNameMax } from "../access/workspaces.ts";
import { block, listBlocks, unblock } from "../administration/blocks.ts";
import { requireWorkspace } from "../administration/workspaces.ts";
import { instant } from "../api/field-schemas.ts";
import type { App } from "../app.ts";
import { scheduleReport } from "../backup/backup-schedule.ts";
import { backupSeries } from "../backup/backup-series.ts";
import { LastBackup, lastBackup, recordBackup } from "../backup/last-backup.ts";
import { newApiKeyText } from "../base/api-key-text.ts";
import { messageOf } from "../base/message-of.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import { isoTime, isoTimeOrNull, minuteMs } from "../base/time.ts";
import { beginClickMove } from "../click-moves/begin-move.ts";
import { acceptLosses, type LostClicks } from "../clicks/lost-clicks.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { copyTimeMaxMs } from "../clicks/store-copy.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { movedTo } from "../database/moved.ts";
import { emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { databaseLocation } from "../database-location.ts";
import { abandonSpool } from "../nodes/abandon-spool.ts";
import { listNodes } from "../nodes/list-nodes.ts";
import { forEveryReader } from "../spools/cursors.ts";
import { lostClicks, spoolFolders } from "../spools/spool-folders.ts";
import { spoolTotals } from "../spools/spools.ts";
import { acceptStoreLosses } from "../spools/store-losses.ts";
import { forgetUnreadableKeys, listCertificates, renewCertificate } from "./certificates.ts";
import { checkEnvironment } from "./check-environment.ts";
import { type CheckResult, unknownWhileDown } from "./check-result.ts";
import { checkSecret } from "./check-secret.ts";
import { databaseOutage } from "./database-outage.ts";
import { type AdminDeps, type Operation, operation, repeatable } from "./operation.ts";
import { limit, peopleOperations } from "./people-operations.ts";
import { verifyLinks, workspacesToVerify } from "./verify-clicks.ts";

/** The timeout of operations that read all clicks. */
const readingTimeMaxMs = 15 * minuteMs;

/** An operation on all resources of a server, with a long timeout. */
function readingOperation<Input extends z.ZodType>(
  input: Input,
  run: (app: App, input: z.output<Input>) => Promise<unknown>,
): Operation {
  const withApp = operation(input, async ({ app }, value) => {
    if (app === undefined) throw new Error("The operation needs more than the database.");
    return await run(app, value);
  });
  return { ...withApp, timeMaxMs: readingTimeMaxMs };
}

const role = z.enum(["owner", "member", "viewer"]);
const scopeList = z
  .array(z.enum(scopes as [Scope, ...Scope[]]))
  .min(1)
  .nullable();

const blockKind = z.enum(["link", "workspace", "user", "domain", "host"]);
const blockTarget = z.string().trim().min(1).max(2_048);

/** TABLE of the operator's operations, which run with and without a running server. */
export const operations = {
  "user create": operation(
    z.object({
      email: z.string(),
      name: z.string().trim().min(1).max(workspaceNameMax).optional(),
      workspace: z.string().trim().min(1).max(workspaceNameMax).optional(),
      join: z.int().min(1).optional(),
      role: role.optional(),
    }),
    createUser,
  ),
  "user password": operation(z.object({ email: z.string(), password: z.string() }), async (deps, input) => {
    const user = await setPassword(deps, input.email, input.password);
    if (deps.app !== undefined && user.hadPassword) mailAccountChange(deps.app, user, { kind: "passwordChanged" });
    return { email: input.email };
  }),
  "user verify": operation(z.object({ email: z.string() }), verifyUser),
  "key create": operation(
    z.object({
      email: z.string(),
      workspace: z.int().min(1).optional(),
      name: z.string().trim().min(1).max(workspaceNameMax).default("Command line"),
      scopes: scopeList.default(null),
      expiresAt: instant("end").nullable().default(null),
    }),
    createKey,
  ),
  "key list": repeatable(
    operation(z.object({ email: z.string().optional(), after: z.string().optional(), limit }), listKeys),
  ),
  "key revoke": operation(z.object({ id: z.string() }), revokeKey),
  ...peopleOperations,
  block: operation(
    z.object({ kind: blockKind, target: blockTarget, reason: z.string().trim().min(1).max(1_000) }),
    (deps, input) => block(deps, null, input),
  ),
  unblock: operation(z.object({ kind: blockKind, target: blockTarget }), (deps, input) => unblock(deps, null, input)),
  blocks: repeatable(operation(z.object({ kind: blockKind.optional() }), (deps, { kind }) => listBlocks(deps, kind))),
  nodes: repeatable(operation(z.object({}), ({ db, now }) => listNodes(db, now()))),
  "begin click move": { ...readingOperation(z.object({}), beginClickMove), timeMaxMs: copyTimeMaxMs },
  "spool abandon": operation(z.object({ spoolId: z.string().min(1).max(64) }), ({ db, now }, { spoolId }) =>
    abandonSpool(db, spoolId, now()),
  ),
  "certificates list": repeatable(
    operation(z.object({}), ({ app, config, ...deps }) => listCertificates({ ...deps, config: app?.config ?? config })),
  ),
  "certificates renew": operation(z.object({ name: z.string().min(1).max(253) }), renewCertificate),
  "certificates forget-keys": operation(z.object({}), (deps) => forgetUnreadableKeys(deps)),
  "clicks workspaces": repeatable(
    readingOperation(
      z.object({ workspace: z.int().min(1).optional() }),
      async ({ database }, { workspace }) => await workspacesToVerify(database.reads, workspace),
    ),
  ),
  "clicks links": readingOperation(
    z.object({ workspaceId: z.int().min(1), after: z.string(), corrects: z.boolean() }),
    verifyLinks,
  ),
  "clicks recount": readingOperation(
    z.object({ workspaceId: z.int().min(1), corrects: z.boolean() }),
    ({ pipeline }, request) => pipeline.recountRollup(request),
  ),
  "clicks accept-loss": operation(z.object({}), async ({ db, config, app }) => {
    const { dropped, damaged } = lostClicks(config);
    for (const folder of spoolFolders(config)) acceptLosses(folder);
    const accepted = await acceptStoreLosses(db);
    app?.storeLosses.forget();
    return { dropped: withIsoTimes(dropped), damaged: withIsoTimes(damaged), store: { accepted } };
  }),
  "backup series": operation(z.object({}), async ({ config }) => backupSeries(config)),
  "backup done": operation(LastBackup, recordBackup),
  /** Where and how people sign in, by the options of the running server. */
  url: repeatable(operation(z.object({}), async ({ app, config }) => accessOf(app?.config ?? config))),
  "check environment": repeatable(
    operation(z.object({}), async ({ app }) =>
      app === undefined ? [] : [...(await checkEnvironment(app.config)), await checkServerSecret(app)],
    ),
  ),
  status: repeatable(operation(z.object({}), serverStatus)),
} as const;

function withIsoTimes(loss: LostClicks[keyof LostClicks]) {
  return loss && { ...loss, since: isoTime(loss.since), last: isoTime(loss.last) };
}

/** Asks a database that does not answer only once: each further query would wait as long. */
async function serverStatus({ db, app, config }: AdminDeps) {
  const outage = await databaseOutage({ db, config });
  const isUp = outage === undefined;
  return {
    pid: process.pid,
    engine: databaseLocation(config).kind,
    databaseOutage: outage ?? null,
    movedTo: isUp ? ((await movedTo(db).catch(() => undefined)) ?? null) : null,
    lastBackup: isUp ? await lastBackup(db).catch(() => null) : null,
    schedule: isUp && app !== undefined ? await scheduleReport(app).catch(() => null) : null,
    clicks: app === undefined ? "is not open" : await usedStoreFailure(app),
    storeLosses: app === undefined ? [] : app.storeLosses.current,
    spoolLag: app === undefined ? forEveryReader(0) : spoolTotals(app.spools).lagBytes,
  };
}

async function checkServerSecret({ db, config }: App): Promise<CheckResult> {
  const isUp = (await databaseOutage({ db, config })) === undefined;
  return isUp ? await checkSecret(config, db) : { check: "secret", ok: false, detail: unknownWhileDown };
}

/** The name of an operation of the table. */
export type OperationName = keyof typeof operations;

/** True for the name of an operation. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

type NewUser = {
  email: string;
  name?: string | undefined;
  workspace?: string | undefined;
  join?: number | undefined;
  role?: z.output<typeof role> | undefined;
};

async function createUser(deps: AdminDeps, input: NewUser) {
  if (input.join !== undefined && input.workspace !== undefined) {
    throw new Problem(
      "unprocessable_entity",
      "Use either --workspace, for a new workspace, or --join, for an existing one.",
    );
  }
  if (input.role !== undefined && input.join === undefined) {
    throw new Problem(
      "unprocessable_entity",
      "--role requires --join; the creator of a new workspace is always its owner.",
    );
  }
  const email = requireEmail(input.email);
  const name = input.name ?? nameFromEmail(email);
  const now = deps.now();
  const apiKey = newApiKeyText();
  return await transact(deps.db, async (tx) => {
    if (input.join !== undefined) await requireWorkspace(tx, input.join);
    const userId = await insertUser(tx, { email, name, passwordHash: null, verifiedAt: now }, now);
    const workspaceId = input.join ?? (await insertWorkspace(tx, userId, input.workspace ?? name, now));
    if (input.join !== undefined) {
      await addMember(tx, workspaceId, { userId, role: input.role ?? "member", byUserId: null }, now);
    }
    await insertApiKey(tx, { userId, workspaceId }, firstKey, apiKey, now);
    return { userId, workspaceId, apiKey };
  });
}

/** Removes the password too, which the owner of the address may not have chosen, and creates a link to set one. */
async function verifyUser({ db, now }: AdminDeps, input: { email: string }) {
  const email = requireEmail(input.email);
  return await transact(db, async (tx) => {
    const user = await tx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
    if (user === undefined) throw new Problem("not_found", `No user has the e-mail address ${email}.`);
    const isFirst = await verifyEmail(tx, { userId: user.id, email, passwordHash: null }, now());
    if (!isFirst) throw new Problem("conflict", `${email} is already verified.`);
    return { userId: user.id, email, setupToken: await insertSignInLink(tx, user.id, now()) };
  });
}

/** The URL of the service, and the name of the identity provider where people sign in with it only. */
export function accessOf(config: Config): { url: string; onlyProvider: string | null } {
  return {
    url: config.WAYPOST_URL.href,
    onlyProvider: hasPasswordSignIn(config) ? null : config.WAYPOST_OIDC_NAME,
  };
}

/** Like storeFailure; null before the first click, without creating the store. */
async function usedStoreFailure({ pipeline, storeLosses }: Pick<App, "pipeline" | "storeLosses">) {
  // Without an answer of the database, the file is absent: a check must not create it.
  const isUnused = await storeLosses.isUnused().catch(() => true);
  return isUnused ? null : await storeFailure(pipeline);
}

/** Returns why the click store does not answer; "" when it does. Opens the store, which creates an absent one. */
export async function storeFailure(pipeline: Pick<Pipeline, "storeId">): Promise<string> {
  try {
    await pipeline.storeId();
    return "";
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return messageOf(cause);
  }
}

type NewKey = {
  email: string;
  workspace?: number | undefined;
  name: string;
  scopes: Scope[] | null;
  expiresAt: number | null;
};

async function createKey(deps: AdminDeps, input: NewKey) {
  const email = requireEmail(input.email);
  refusePastExpiry(input.expiresAt, deps.now());
  const apiKey = newApiKeyText();
  return await transact(deps.db, async (tx) => {
    let membership = tx
      .selectFrom("users")
      .innerJoin("members", "members.userId", "users.id")
      .select(["users.id as userId", "members.workspaceId"])
      .where("users.email", "=", email)
      .orderBy("members.workspaceId")
      .limit(1);
    if (input.workspace !== undefined) membership = membership.where("members.workspaceId", "=", input.workspace);
    const owner = await membership.executeTakeFirst();
    if (owner === undefined) throw await missingOwner(tx, email, input);
    const created = await insertApiKey(tx, owner, { ...input, allWorkspaces: true }, apiKey, deps.now());
    return { id: created.id, ...owner, apiKey };
  });
}

/** Says whether the user or the membership is missing. */
async function missingOwner(db: Db, email: string, input: NewKey): Promise<Problem> {
  const user = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  const reason =
    user === undefined ? `There is no user ${email}.` : `The user ${email} does not belong to ${workspaceName(input)}.`;
  return new Problem("not_found", reason);
}

function workspaceName({ workspace }: NewKey): string {
  return workspace === undefined ? "any workspace" : `workspace ${workspace}`;
}

type KeyPage = { email?: string | undefined; after?: string | undefined; limit: number };

async function listKeys({ db }: AdminDeps, { email, after, limit }: KeyPage) {
  let query = db
    .selectFrom("apiKeys")
    .innerJoin("users", "users.id", "apiKeys.userId")
    .selectAll("apiKeys")
    .select("users.email")
    .orderBy("apiKeys.id")
    .limit(limit);
  if (after !== undefined) query = query.where("apiKeys.id", ">", after);
  if (email !== undefined) query = query.where("users.email", "=", requireEmail(email));
  return (await query.execute()).map(({ hash: _, isForAllWorkspaces, ...key }) => ({
    ...key,
    allWorkspaces: isForAllWorkspaces === 1,
    scopes: key.scopes === null ? null : JSON.parse(key.scopes),
    expiresAt: isoTimeOrNull(key.expiresAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    createdAt: isoTimeOrNull(key.createdAt),
  }));
}

async function revokeKey({ db, now }: AdminDeps, { id }: { id: string }) {
  return await transact(db, async (tx) => {
    const key = await tx
      .deleteFrom("apiKeys")
      .where("id", "=", id)
      .returning(["workspaceId", "name", "prefix"])
      .executeTakeFirst();
    if (key === undefined) throw notFound("API key");
    const { workspaceId, ...data } = key;
    await emit(tx, eventBy({ workspaceId, userId: null }, "apiKey.revoked", id, now(), data));
    return { id };
  });
}

function requireEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === undefined) throw invalid("email", `"${text}" is not an e-mail address such as you@example.com.`);
  return email;
}
