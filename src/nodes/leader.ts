import type { Db } from "../database/database.ts";
import { withTransactionHook } from "../database/transact.ts";

/** The row of `leaders`: the node that runs the tasks which one node runs for all. */
const tasks = "tasks";

/** Makes a node the leader, and returns its token. The tokens of earlier leaders become invalid. */
export async function becomeLeader(db: Db, nodeId: string): Promise<number> {
  const { token } = await db
    .insertInto("leaders")
    .values({ name: tasks, nodeId, token: 1 })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((row) => ({ nodeId, token: row("leaders.token", "+", 1) })),
    )
    .returning("token")
    .executeTakeFirstOrThrow();
  return token;
}

/** The node that became the leader last; undefined before the first one. */
export async function lastLeader(db: Db): Promise<string | undefined> {
  return (await db.selectFrom("leaders").select("nodeId").where("name", "=", tasks).executeTakeFirst())?.nodeId;
}

/**
 * Runs work as the leader: each of its transactions fails when another node has become the leader since, such as while
 * this process was frozen.
 */
export async function asLeader<Result>(token: number, work: () => Promise<Result>): Promise<Result> {
  return await withTransactionHook(
    {
      async before(tx) {
        const row = await tx
          .selectFrom("leaders")
          .select("token")
          .where("name", "=", tasks)
          .forShare()
          .executeTakeFirst();
        if (row?.token !== token) throw new Error("Another node runs the tasks now.");
      },
      committed() {},
      isRepeatableRead: false,
    },
    work,
  );
}
