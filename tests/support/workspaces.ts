import type { Actor } from "../../src/access/actor.ts";
import { insertUser } from "../../src/access/users.ts";
import { createWorkspace, insertMember } from "../../src/access/workspaces.ts";
import type { Db } from "../../src/database/database.ts";
import type { Engine } from "../../src/database/engine.ts";
import type { Role } from "../../src/database/schema.ts";
import { testDatabase } from "./databases.ts";

/** The parts of an event that a test compares. */
export type RecordedChange = { type: string; objectId: string; userId: string | null; data: unknown };

/** A new database, with a clock that the test controls. */
export type AccessWorld = {
  db: Db;
  now: () => number;
  /** The options of an instance that is used by invitation and has no mail server. */
  config: { WAYPOST_URL: URL; WAYPOST_SIGN_UP: "invite"; WAYPOST_SMTP_URL: undefined; WAYPOST_PASSWORD_SIGN_IN: "on" };
  advance(ms: number): void;
  /** Creates a user without a workspace, with a verified address if one is given. */
  newUser(email?: string, options?: { isVerified: boolean }): Promise<string>;
  /** An owner of a new workspace "Acme". */
  newOwner(): Promise<Actor>;
  /** Another user with a role in the owner's workspace. */
  newColleague(owner: Actor, role: Role): Promise<Actor>;
  /** The events of a workspace except its creation, oldest first. */
  eventsOf(workspaceId: number): Promise<RecordedChange[]>;
  close(): Promise<void>;
};

/** Opens an empty world on the given engine. */
export async function openAccessWorld(engine: Engine): Promise<AccessWorld> {
  const { database, close } = await testDatabase(engine);
  const { db } = database;
  let time = Date.parse("2026-11-20T09:30:00Z");
  const now = () => time;

  async function newUser(email?: string, { isVerified = true } = {}): Promise<string> {
    const verified = email === undefined || !isVerified ? {} : { verifiedAt: time };
    const user = { email: email ?? null, name: "Ada", passwordHash: null, ...verified };
    return await db.transaction().execute((tx) => insertUser(tx, user, time));
  }

  return {
    db,
    now,
    config: {
      WAYPOST_URL: new URL("https://links.example.com"),
      WAYPOST_SIGN_UP: "invite",
      WAYPOST_SMTP_URL: undefined,
      WAYPOST_PASSWORD_SIGN_IN: "on",
    },
    advance(ms) {
      time += ms;
    },
    newUser,
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
    async eventsOf(workspaceId) {
      const rows = await db
        .selectFrom("events")
        .select(["type", "objectId", "userId", "data"])
        .where("workspaceId", "=", workspaceId)
        .where("type", "<>", "workspace.created")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
    },
    close,
  };
}
