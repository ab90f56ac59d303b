import { randomBytes } from "node:crypto";
import type { Actor } from "../access/actor.ts";
import { lockUser } from "../access/lock-user.ts";
import { insertWorkspace, refuseOwnerOfBlocked, refuseTooManyWorkspaces } from "../access/workspaces.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { insertDomain } from "../domains/domains.ts";
import { exampleName } from "./example-content.ts";

/** An example workspace; it is ready once its links and clicks exist. */
type Example = { id: number; isReady: boolean };

type Deps = { db: Db; now: () => number };
type User = Pick<Actor, "userId">;

/**
 * Creates an example workspace that the caller owns; fillNextExample adds its links and clicks in the
 * background. Its domain is below .example, a reserved name, so that nobody's links are affected.
 * Throws "conflict" when the caller has an example already, and as createWorkspace does.
 */
export async function createExample({ db, now }: Deps, { userId }: User): Promise<Example> {
  return await transact(db, async (tx) => {
    // A second simultaneous call waits here, and then finds the example of the first.
    await lockUser(tx, userId);
    if ((await findExample(tx, userId)) !== undefined) {
      throw new Problem("conflict", "You already have an example workspace; delete it first.");
    }
    await refuseTooManyWorkspaces(tx, userId);
    await refuseOwnerOfBlocked(tx, userId);
    const at = now();
    const workspaceId = await insertWorkspace(tx, userId, exampleName, at);
    const identity = { slug: exampleDomain(workspaceId), status: "verified", isInstance: 0 } as const;
    await insertDomain(tx, { workspaceId, userId }, identity, {}, at);
    const spoolId = randomBytes(16).toString("hex");
    await tx.insertInto("examples").values({ workspaceId, userId, spoolId, createdAt: at, filledAt: null }).execute();
    return { id: workspaceId, isReady: false };
  });
}

/** TABLE of the words of example domains. */
const plants = ["juniper", "clover", "maple", "willow", "lavender", "cedar", "thistle", "hazel", "poppy", "rowan"];
const shops = ["market", "studio", "books", "tea", "coffee", "cycles", "garden", "press", "bakery", "films"];

/** The domain of an example workspace: different for each one, and without a number for the first hundred. */
export function exampleDomain(workspaceId: number): string {
  const [plant, shop] = [plants[workspaceId % 10] ?? "", shops[Math.floor(workspaceId / 10) % 10] ?? ""];
  const round = Math.floor(workspaceId / 100);
  return `${plant}-${shop}${round === 0 ? "" : `-${round + 1}`}.example`;
}

/** The caller's example workspace; null without one. */
export async function getExample({ db }: Pick<Deps, "db">, { userId }: User): Promise<Example | null> {
  return (await findExample(db, userId)) ?? null;
}

async function findExample(db: Db | Tx, userId: string): Promise<Example | undefined> {
  const row = await db
    .selectFrom("examples")
    .select(["workspaceId", "filledAt"])
    .where("userId", "=", userId)
    .executeTakeFirst();
  return row && { id: row.workspaceId, isReady: row.filledAt !== null };
}
