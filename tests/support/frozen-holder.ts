/**
 * Holds the lock of a node, leads, and has the lock of a row in a transaction, until it is killed: `bun frozen-holder.ts URL`.
 * Prints a line when it has all of them.
 */
import { sql } from "kysely";
import { connect } from "../../src/database/database.ts";
import { lockPostgres } from "../../src/database/postgres-lock.ts";

const url = process.argv[2] ?? "";
const locked = await lockPostgres(url, { kind: "shared", nodeId: "frozen" }, 0);
if (locked.kind !== "held") throw new Error("Another process has the lock.");
const turn = await locked.lock.lead();
const { db } = connect({ kind: "postgres", url }, "full");
await db.transaction().execute(async (tx) => {
  await sql`update t set value = 'frozen'`.execute(tx);
  console.log(`turn ${turn}`);
  await new Promise(() => {});
});
