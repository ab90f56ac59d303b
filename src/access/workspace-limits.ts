import { z } from "zod";
import { invalid, Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import { readSetting, storeSetting } from "../database/settings.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { countLinks, forgetLinkCount, startLinkCount, takeLinkRoom } from "./link-count.ts";
import { lockWorkspace } from "./lock-workspace.ts";

/**
 * Limits of workspaces: how many links, domains, members and API keys each may have, and how long it may keep clicks. And
 * the limit of workspaces that a user may own, without which a user could multiply the others.
 *
 * 1. The instance's limits are options. Each start writes them into the settings, so that a transaction reads them with
 *    the limits of the workspace, and no verb needs the options.
 * 2. A limit of a workspace replaces the instance's; "unlimited" lifts it. Without either, only the fixed bounds apply.
 * 3. Limits are exact: a creation locks the workspace before it counts. Without a limit, it does neither, so that
 *    creations do not wait for each other. On PostgreSQL, creations that run while an operator sets the first limit may
 *    therefore end after it, beyond the limit. That is as harmless as rule 4.
 * 4. A lower limit removes nothing; it only refuses more.
 * 5. Links are not counted at each creation: see link-count.ts.
 */
export const limitNames = ["links", "domains", "members", "apiKeys", "clickRetentionDays"] as const;
export type LimitName = (typeof limitNames)[number];

/** Limits by name; null means none. */
export type Limits = Record<LimitName, number | null>;
/** The limits that were set for one workspace; absent ones are the instance's. */
export type OwnLimits = Partial<Record<LimitName, number | "unlimited">>;

const settingName = "workspaceLimits";

const InstanceLimits = z.object({
  links: z.int().optional(),
  domains: z.int().optional(),
  members: z.int().optional(),
  apiKeys: z.int().optional(),
  clickRetentionDays: z.int().optional(),
  /** The retention with which workspaces begin. */
  defaultRetentionDays: z.int().optional(),
  workspacesPerUser: z.int().optional(),
});
type InstanceLimits = z.output<typeof InstanceLimits>;
const limit = z.union([z.int(), z.literal("unlimited")]).optional();
const Own = z.object({ links: limit, domains: limit, members: limit, apiKeys: limit, clickRetentionDays: limit });

type LimitOptions = Pick<
  Config,
  | "WAYPOST_MAX_LINKS"
  | "WAYPOST_MAX_DOMAINS"
  | "WAYPOST_MAX_MEMBERS"
  | "WAYPOST_MAX_API_KEYS"
  | "WAYPOST_MAX_WORKSPACES"
  | "WAYPOST_MAX_RETENTION_DAYS"
  | "WAYPOST_DEFAULT_RETENTION_DAYS"
>;

/**
 * Writes the instance's limits into the settings; each start of the service calls it. Begins to count the links of
 * workspaces that get a limit of links.
 */
export async function storeInstanceLimits(db: Db, config: LimitOptions): Promise<void> {
  const value = JSON.stringify({
    links: config.WAYPOST_MAX_LINKS,
    domains: config.WAYPOST_MAX_DOMAINS,
    members: config.WAYPOST_MAX_MEMBERS,
    apiKeys: config.WAYPOST_MAX_API_KEYS,
    clickRetentionDays: config.WAYPOST_MAX_RETENTION_DAYS,
    defaultRetentionDays: config.WAYPOST_DEFAULT_RETENTION_DAYS,
    workspacesPerUser: config.WAYPOST_MAX_WORKSPACES,
  } satisfies InstanceLimits);
  const stored = await readSetting(db, settingName);
  // A start writes nothing that is stored already, so that a full disk does not prevent it.
  if (stored === value) return;
  if (config.WAYPOST_MAX_LINKS !== undefined) await startLinkCount(db, "all");
  await storeSetting(db, settingName, value);
}

/** Prepared, since every creation of a link runs it. */
const selectLimits = prepared((db, value: Slot<{ workspaceId: number }>) =>
  db
    .selectFrom("workspaces")
    .select(["workspaces.limits as own", "workspaces.linkCount", "workspaces.linkCountChange"])
    .select(({ selectFrom }) =>
      selectFrom("settings").select("settings.value").where("settings.name", "=", settingName).as("instance"),
    )
    .where("workspaces.id", "=", value("workspaceId")),
);

/**
 * The limits of a workspace: those that apply, its own, and the instance's; and whether its number of links is stored or
 * being counted (rule 5). An unknown workspace has no own ones.
 */
export async function limitsOf(
  db: Db,
  workspaceId: number,
): Promise<{ effective: Limits; own: OwnLimits; instance: Limits; countsLinks: boolean }> {
  const [row] = await selectLimits(db, { workspaceId });
  const own = parseOwn(row?.own ?? null);
  const instance = instanceLimits(parseInstance(row?.instance ?? null));
  const limits = { effective: byName((name) => effectiveLimit(own[name], instance[name])), own, instance };
  return { ...limits, countsLinks: (row?.linkCount ?? row?.linkCountChange ?? null) !== null };
}

function parseOwn(text: string | null): OwnLimits {
  return text === null ? {} : compact(Own.parse(JSON.parse(text)));
}

/** Leaves out names without a limit. */
function compact(limits: z.output<typeof Own>): OwnLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, one]) => one !== undefined));
}

function parseInstance(text: string | null): InstanceLimits {
  return text === null ? {} : InstanceLimits.parse(JSON.parse(text));
}

function instanceLimits(stored: InstanceLimits): Limits {
  return byName((name) => stored[name] ?? null);
}

/** The limit that applies: the own one, or else the instance's; null means none. */
export function effectiveLimit(own: number | "unlimited" | undefined, instance: number | null): number | null {
  if (own === undefined) return instance;
  return own === "unlimited" ? null : own;
}

function byName(limitOf: (name: LimitName) => number | null): Limits {
  return {
    links: limitOf("links"),
    domains: limitOf("domains"),
    members: limitOf("members"),
    apiKeys: limitOf("apiKeys"),
    clickRetentionDays: limitOf("clickRetentionDays"),
  };
}

/** The days that a new workspace keeps individual clicks: the default, within the limit; null means forever. */
export async function defaultRetentionDays(tx: Tx): Promise<number | null> {
  const { defaultRetentionDays: days, clickRetentionDays: max } = await readInstance(tx);
  if (days === undefined || max === undefined) return days ?? max ?? null;
  return Math.min(days, max);
}

async function readInstance(tx: Tx): Promise<InstanceLimits> {
  return parseInstance((await readSetting(tx, settingName)) ?? null);
}

/**
 * Throws "conflict" for a user who owns as many workspaces as the instance allows. Examples do not count, and
 * administrators have no limit. Locks the user if there is a limit, so that simultaneous creations do not exceed it.
 */
export async function requireRoomToOwn(tx: Tx, userId: string): Promise<void> {
  const max = await reachedOwnerLimit(tx, userId);
  if (max === undefined) return;
  throw new Problem(
    "conflict",
    `You own as many workspaces as this service allows (${max}). Delete one first, or ask an administrator for another.`,
  );
}

/** As requireRoomToOwn, with a message for an owner who makes another user an owner. */
export async function requireRoomForNewOwner(tx: Tx, userId: string): Promise<void> {
  const max = await reachedOwnerLimit(tx, userId);
  if (max === undefined) return;
  throw new Problem("conflict", `This person owns as many workspaces as this service allows (${max}).`);
}

/** The limit of workspaces of a user who has reached it; undefined for others. */
async function reachedOwnerLimit(tx: Tx, userId: string): Promise<number | undefined> {
  const { workspacesPerUser: max } = await readInstance(tx);
  if (max === undefined) return undefined;
  await lockEnabledUser(tx, userId);
  const user = tx.selectFrom("users").select("isAdministrator").where("id", "=", userId);
  if ((await user.executeTakeFirstOrThrow()).isAdministrator === 1) return undefined;
  const owned = tx
    .selectFrom("members")
    .where("userId", "=", userId)
    .where("role", "=", "owner")
    .where("workspaceId", "not in", (example) =>
      example.selectFrom("examples").select("workspaceId").where("userId", "=", userId),
    );
  return (await countRows(owned)) < max ? undefined : max;
}

/** Throws "unprocessable_entity" for a retention beyond the workspace's limit; null keeps clicks forever. */
export async function refuseLongRetention(tx: Tx, workspaceId: number, days: number | null): Promise<void> {
  const max = (await limitsOf(tx, workspaceId)).effective.clickRetentionDays;
  if (max === null || (days !== null && days <= max)) return;
  throw invalid(
    "clickRetentionDays",
    `must be at most ${max}, the limit of this workspace. An administrator of this service can raise it.`,
  );
}

type Counted = Exclude<LimitName, "clickRetentionDays">;

/** Throws "conflict" when the workspace has no room for one more object of this kind. Locks the workspace if it has a limit. */
export async function requireRoom(tx: Tx, workspaceId: number, name: Counted): Promise<void> {
  const { room, max } = await roomFor(tx, workspaceId, name, 1);
  if (room < 1) throw limitReached(name, max);
}

/**
 * How many of `wanted` new objects of this kind the workspace has room for, and its limit. The caller stores no more
 * than that in the same transaction. Locks the workspace if it has a limit.
 */
export async function roomFor(
  tx: Tx,
  workspaceId: number,
  name: Counted,
  wanted: number,
): Promise<{ room: number; max: number }> {
  const { effective, countsLinks } = await limitsOf(tx, workspaceId);
  const max = effective[name];
  if (max === null) {
    if (name === "links" && countsLinks) await forgetLinkCount(tx, workspaceId);
    return { room: wanted, max: Number.POSITIVE_INFINITY };
  }
  if (name === "links") return { room: await takeLinkRoom(tx, { workspaceId, max, wanted }), max };
  await lockWorkspace(tx, workspaceId);
  return { room: clamp(max - (await countOf(tx, workspaceId, name)), wanted), max };
}

function clamp(free: number, wanted: number): number {
  return Math.max(0, Math.min(free, wanted));
}

/** The problem of a workspace that has reached a limit. */
export function limitReached(name: Counted, max: number): Problem {
  const texts = {
    links: `This workspace has reached its limit of ${max} links. An administrator of this service can raise it.`,
    domains: `This workspace has reached its limit of ${max} domains. An administrator of this service can raise it.`,
    members: `This workspace has reached its limit of ${max} members. An administrator of this service can raise it.`,
    apiKeys: `This workspace has reached its limit of ${max} API keys. An administrator of this service can raise it.`,
  };
  return new Problem("conflict", texts[name]);
}

/** The number of a workspace's objects that count towards a limit; root links of domains do not. */
export async function countOf(db: Db, workspaceId: number, name: Counted): Promise<number> {
  if (name === "members") return await countRows(db.selectFrom("members").where("workspaceId", "=", workspaceId));
  if (name === "apiKeys") return await countRows(db.selectFrom("apiKeys").where("workspaceId", "=", workspaceId));
  if (name === "domains") {
    // A deleted domain keeps its row, with its id as slug, while links of other workspaces need it.
    const domains = db.selectFrom("domains").where("workspaceId", "=", workspaceId);
    return await countRows(domains.whereRef("slug", "<>", "id"));
  }
  return await countLinks(db, workspaceId);
}
