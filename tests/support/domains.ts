import type { Actor } from "../../src/access/actor.ts";
import { insertUser } from "../../src/access/users.ts";
import { createWorkspace, insertMember } from "../../src/access/workspaces.ts";
import type { Db, Engine } from "../../src/database/database.ts";
import type { Role } from "../../src/database/schema.ts";
import { testDatabase } from "./databases.ts";

/** A database of its own with a clock held by the test. */
export type DomainWorld = {
  db: Db;
  now: () => number;
  advance(ms: number): void;
  /** An owner of a new workspace. */
  newOwner(): Promise<Actor>;
  /** Another user with a role in the owner's workspace. */
  newColleague(owner: Actor, role: Role): Promise<Actor>;
  /** The recorded changes of the workspace's domains, oldest first. */
  domainEvents(
    workspaceId: number,
  ): Promise<{ type: string; objectId: string; userId: string | null; data: unknown }[]>;
  close(): Promise<void>;
};

/** Opens a world on the given engine, with nobody in it. */
export async function openDomainWorld(engine: Engine): Promise<DomainWorld> {
  const { database, close } = await testDatabase(engine);
  const { db } = database;
  let time = Date.parse("2026-11-20T09:30:00Z");
  const now = () => time;

  async function newUser(): Promise<string> {
    return await db.transaction().execute((tx) => insertUser(tx, { email: null, name: "", passwordHash: null }, time));
  }

  return {
    db,
    now,
    advance(ms) {
      time += ms;
    },
    async newOwner() {
      const userId = await newUser();
      const workspaceId = await createWorkspace({ db, now }, { userId }, "Acme");
      return { userId, workspaceId, role: "owner", scopes: null, expiresAt: null };
    },
    async newColleague({ workspaceId }, role) {
      const userId = await newUser();
      await db.transaction().execute((tx) => insertMember(tx, workspaceId, userId, role, time));
      return { userId, workspaceId, role, scopes: null, expiresAt: null };
    },
    async domainEvents(workspaceId) {
      const rows = await db
        .selectFrom("events")
        .select(["type", "objectId", "userId", "data"])
        .where("workspaceId", "=", workspaceId)
        .where("type", "like", "domain.%")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
    },
    close,
  };
}
