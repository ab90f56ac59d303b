import { newApiKeyText } from "../base/api-key-text.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { insertApiKey, type NewApiKey } from "./api-keys.ts";
import { nameFromEmail } from "./person-name.ts";
import { hashPassword, insertSignInLink, insertUser } from "./users.ts";
import { insertWorkspace } from "./workspaces.ts";

/** The options for the first user; each may be undefined. */
type BootstrapOptions = {
  email: string | undefined;
  apiKey: string | undefined;
  password: string | undefined;
  workspace: string | undefined;
};

/**
 * What the first start shows once: the key, unless the operator chose it, and the link to set a password. Neither when
 * the command line has already created a user: `hasUserAlready`.
 */
export type BootstrapResult = { apiKey: string | undefined; setupToken: string | undefined; hasUserAlready: boolean };

/** The first key, also of `waypost user create`. */
export const firstKey: NewApiKey = { name: "First key", scopes: null, expiresAt: null, allWorkspaces: true };

const bootstrapSetting = "bootstrap";
const defaultWorkspaceName = "My workspace";
/** Until the person enters a name on the page of the set-up link. */
const defaultUserName = "Owner";

/**
 * Creates the first user, workspace and key of an empty database; undefined if that is done already.
 * Guarantee: happens once, also when several nodes start on one database at the same moment.
 */
export async function bootstrap(
  deps: { db: Db; now: () => number },
  options: BootstrapOptions,
): Promise<BootstrapResult | undefined> {
  // Checked before the password is hashed, which takes a fifth of a start; the transaction decides.
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
    if (await hasUserAlready(tx, options.email))
      return { apiKey: undefined, setupToken: undefined, hasUserAlready: true };

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
      hasUserAlready: false,
    };
  });
}

async function isDone(db: Db): Promise<boolean> {
  const done = db.selectFrom("settings").select("name").where("name", "=", bootstrapSetting);
  return (await done.executeTakeFirst()) !== undefined;
}

/** True when the command line created a user before the first start: the one with this email, or any without one. */
async function hasUserAlready(tx: Tx, email: string | undefined): Promise<boolean> {
  const users = tx.selectFrom("users").select("id").limit(1);
  const found = await (email === undefined ? users : users.where("email", "=", email)).executeTakeFirst();
  return found !== undefined;
}

/** The first workspace, which owns the instance's domain. */
export async function firstWorkspaceId(db: Db): Promise<number> {
  const { id } = await db.selectFrom("workspaces").select("id").orderBy("id").limit(1).executeTakeFirstOrThrow();
  return id;
}
