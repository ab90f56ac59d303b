import type { Kysely } from "kysely";
import { newApiKeyText } from "../base/api-key-text.ts";
import type { Tx } from "../database/outbox.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { insertApiKey, type NewApiKey } from "./api-keys.ts";
import { nameFromEmail } from "./person-name.ts";
import { hashPassword, insertSignInLink, insertUser } from "./users.ts";
import { insertWorkspace } from "./workspaces.ts";

/** What the operator has said about the first user; everything may be left out. */
export type BootstrapOptions = {
  email: string | undefined;
  apiKey: string | undefined;
  password: string | undefined;
  workspace: string | undefined;
};

/**
 * What the first start must show once: the key, unless the operator chose it, and the link to set a password. Neither
 * where the command line has made a user before: `isMadeAlready`.
 */
export type BootstrapResult = { apiKey: string | undefined; setupToken: string | undefined; isMadeAlready: boolean };

/** The key of the first start, as `waypost user create` makes one. */
export const firstKey: NewApiKey = { name: "First key", scopes: null, expiresAt: null, allWorkspaces: true };

const bootstrapSetting = "bootstrap";
const defaultWorkspaceName = "My workspace";
/** Until the person says who they are, on the page of the set-up link. */
const defaultUserName = "Owner";

/**
 * Makes the first user, workspace and key of an empty database; undefined when that has been done before.
 * Guarantee: happens once, also when several nodes start on one database at the same moment.
 */
export async function bootstrap(
  deps: { db: Kysely<Schema>; now: () => number },
  options: BootstrapOptions,
): Promise<BootstrapResult | undefined> {
  // Looked at before the password is hashed, which takes a fifth of the time of a start; decided in the transaction.
  if (await isDone(deps.db)) return undefined;
  const passwordHash =
    options.password === undefined ? null : await hashPassword(options.password, { account: "bootstrap" });
  return await transact(deps.db, async (tx) => {
    const first = await tx
      .insertInto("settings")
      .values({ name: bootstrapSetting, value: "done" })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .returning("name")
      .executeTakeFirst();
    if (first === undefined) return undefined;
    if (await isMadeAlready(tx, options.email))
      return { apiKey: undefined, setupToken: undefined, isMadeAlready: true };

    const now = deps.now();
    const name = options.email === undefined ? defaultUserName : nameFromEmail(options.email);
    const userId = await insertUser(
      tx,
      { email: options.email ?? null, name, passwordHash, ...(options.email === undefined ? {} : { verifiedAt: now }) },
      now,
    );
    const workspaceId = await insertWorkspace(tx, userId, options.workspace ?? defaultWorkspaceName, now);
    const apiKey = options.apiKey ?? newApiKeyText();
    await insertApiKey(tx, { userId, workspaceId }, firstKey, apiKey, now);
    const hasSignIn = options.email !== undefined && options.password !== undefined;
    return {
      apiKey: options.apiKey === undefined ? apiKey : undefined,
      setupToken: hasSignIn ? undefined : await insertSignInLink(tx, userId, now),
      isMadeAlready: false,
    };
  });
}

async function isDone(db: Kysely<Schema>): Promise<boolean> {
  const done = db.selectFrom("settings").select("name").where("name", "=", bootstrapSetting);
  return (await done.executeTakeFirst()) !== undefined;
}

/** Whether a user was made from the command line before the first start: the one asked for, or any when none is. */
async function isMadeAlready(tx: Tx, email: string | undefined): Promise<boolean> {
  const users = tx.selectFrom("users").select("id").limit(1);
  const found = await (email === undefined ? users : users.where("email", "=", email)).executeTakeFirst();
  return found !== undefined;
}

/** The workspace made first, which owns the instance's domain. */
export async function firstWorkspaceId(db: Kysely<Schema>): Promise<number> {
  const { id } = await db.selectFrom("workspaces").select("id").orderBy("id").limit(1).executeTakeFirstOrThrow();
  return id;
}
