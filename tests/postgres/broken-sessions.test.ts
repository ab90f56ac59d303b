/** Sessions that PostgreSQL ends, and processes that hold locks and no longer use them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { Client } from "pg";
import { connect } from "../../src/database/database.ts";
import { lockPostgres } from "../../src/database/postgres-lock.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";
import { eventually } from "../support/server.ts";

/** Many times the minute after which PostgreSQL releases the locks of a frozen process. */
const releasedMsMax = 180_000;

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await sharedPostgres();
});

afterAll(() => postgres.stop());

/** An empty database with a table of one row, its connections, and a separate session. */
async function openWorld() {
  const url = await postgres.createDatabase();
  const { db, close } = connect({ kind: "postgres", url }, "full");
  await sql`create table t (value text)`.execute(db);
  await sql`insert into t values ('first')`.execute(db);
  const session = new Client({ connectionString: url });
  await session.connect();
  return { url, db, session, close: () => Promise.all([session.end(), close()]) };
}

test("a session that ends between two statements of a transaction fails it, and the process continues", async () => {
  const { db, session, close } = await openWorld();

  const transaction = db.transaction().execute(async (tx) => {
    await sql`update t set value = 'second'`.execute(tx);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await session.query("select pg_terminate_backend($1, 10000)", [rows[0]?.pid]);
    // During this query the driver reads the end of the connection, which sending a query on it would hide.
    await session.query("select 1");
    await sql`select 1`.execute(tx);
  });

  expect(await transaction.catch((error: Error) => error.message)).toStartWith(
    "Client has encountered a connection error",
  );
  expect((await sql`select value from t`.execute(db)).rows).toEqual([{ value: "first" }]);
  await close();
});

test("a frozen process keeps neither the lead, nor the id of its node, nor the locks of its transaction", async () => {
  const { url, db, close } = await openWorld();
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, "../support/frozen-holder.ts"), url], {
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const { value } = await holder.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("turn 1\n");
    const claim = async (nodeId: string) => await lockPostgres(url, { kind: "shared", nodeId }, 0);
    const other = heldLock(await claim("other"));
    expect(await other.lead()).toBeUndefined();
    expect((await claim("frozen")).kind).toBe("taken");

    holder.kill("SIGSTOP");

    await eventually(
      () => sql`update t set value = 'other'`.execute(db).then(Boolean, () => false),
      (isDone) => isDone,
      releasedMsMax,
    );
    await eventually(
      () => other.lead(),
      (turn) => turn !== undefined,
      releasedMsMax,
    );
    await heldLock(
      await eventually(
        () => claim("frozen"),
        ({ kind }) => kind === "held",
        releasedMsMax,
      ),
    ).release();
    await other.release();
    expect((await sql`select value from t`.execute(db)).rows).toEqual([{ value: "other" }]);
  } finally {
    holder.kill("SIGKILL");
    await holder.exited;
    await close();
  }
}, 600_000);

type Claimed = Awaited<ReturnType<typeof lockPostgres>>;

function heldLock(claimed: Claimed): Extract<Claimed, { kind: "held" }>["lock"] {
  if (claimed.kind !== "held") throw new Error(`Another process has the ${claimed.what}.`);
  return claimed.lock;
}
