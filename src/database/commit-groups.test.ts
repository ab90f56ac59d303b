/** On SQLite, simultaneous transactions share a COMMIT, which changes nothing for them except their duration. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import { type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import type { Db } from "./database.ts";
import type { Tx } from "./outbox.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";
import { openSqliteReader, type SqliteReader } from "./sqlite-reader.ts";
import { transact } from "./transact.ts";

let opened: TestDatabase;
let path = "";
let commits = 0;
/** The clock stands still unless a test moves it, so that groups do not depend on the speed of the machine. */
let now = () => 0;
let db: Db;
/** Another connection, which sees only committed data. */
let reader: SqliteReader;

beforeEach(async () => {
  opened = await testDatabase("sqlite");
  await opened.database.db.deleteFrom("settings").execute();
  path = opened.database.sqlite?.path ?? "";
  commits = 0;
  now = () => 0;
  db = new Kysely<Schema>({ dialect: sqliteDialect(path, "full", { onCommit: () => commits++, now: () => now() }) });
  reader = openSqliteReader(path);
});
afterEach(async () => {
  reader.close();
  await db.destroy();
  await opened.close();
});

const put = async (on: Db, name: string): Promise<unknown> =>
  await on.insertInto("settings").values({ name, value: "x" }).execute();
const names = async (on: Db): Promise<string> => {
  const rows = await on.selectFrom("settings").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name).join(" ");
};
const committedNames = (): string => reader.query("select name from settings order by name").values().join(" ");
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const outcome = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe("simultaneous transactions", () => {
  test("share a commit", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => transact(db, (tx) => put(tx, `n${index}`))));

    expect(committedNames().split(" ")).toHaveLength(30);
    expect(commits).toBe(1);
  });

  test("do not join a group that has been open for too long", async () => {
    let time = 0;
    now = () => (time += 100);

    await Promise.all(["a", "b", "c"].map((name) => transact(db, (tx) => put(tx, name))));

    expect(committedNames()).toBe("a b c");
    expect(commits).toBe(3);
  });

  test("see earlier ones completely, and never a part of another", async () => {
    const seen: string[] = [];
    const work = (name: string) => async (tx: Tx) => {
      seen.push(await names(tx));
      await put(tx, `${name}1`);
      await nextTurn();
      await put(tx, `${name}2`);
    };

    await Promise.all(["a", "b", "c"].map((name) => transact(db, work(name))));

    expect(seen).toEqual(["", "a1 a2", "a1 a2 b1 b2"]);
  });

  test("roll back a failed one alone, and give its error to its caller", async () => {
    const failing = async (tx: Tx) => {
      await put(tx, "half");
      await put(tx, "a");
    };

    const outcomes = await Promise.all([
      outcome(transact(db, (tx) => put(tx, "a"))),
      outcome(transact(db, failing)),
      outcome(
        transact(db, async (tx) => {
          await put(tx, "thrown");
          throw new Error("No.");
        }),
      ),
      outcome(transact(db, (tx) => put(tx, "b"))),
    ]);

    expect(outcomes).toEqual(["done", "UNIQUE constraint failed: settings.name", "No.", "done"]);
    expect(committedNames()).toBe("a b");
  });

  test("are all committed and counted before any caller gets a result, even a failure", async () => {
    const heard: string[] = [];
    const hear = async (work: Promise<unknown>) => {
      await outcome(work);
      heard.push(`${committedNames()} ${commits}`);
    };

    await Promise.all([
      hear(transact(db, (tx) => put(tx, "a"))),
      hear(transact(db, (tx) => put(tx, "a"))),
      hear(transact(db, async (tx) => await names(tx))),
      hear(transact(db, (tx) => put(tx, "b"))),
    ]);

    expect(heard).toEqual(["a b 1", "a b 1", "a b 1", "a b 1"]);
  });

  test("all fail when their commit fails, leave nothing, and do not block the next", async () => {
    // A deferred constraint is the one fault that SQLite finds only in COMMIT.
    await sql`create table "child" ("name" text references "settings" ("name") deferrable initially deferred)`.execute(
      db,
    );

    const outcomes = await Promise.all([
      outcome(transact(db, (tx) => put(tx, "a"))),
      outcome(transact(db, (tx) => sql`insert into "child" values ('nobody')`.execute(tx))),
      outcome(transact(db, (tx) => put(tx, "a"))),
    ]);

    const failure = "FOREIGN KEY constraint failed";
    expect(outcomes).toEqual([failure, failure, failure]);
    expect(await names(db)).toBe("");
    await transact(db, (tx) => put(tx, "c"));
    expect(committedNames()).toBe("c");
  });

  test("all fail when SQLite rolls the group back, and no later statement is committed by itself", async () => {
    await sql`create trigger "full" before insert on "settings" when new.name = 'huge'
      begin select raise(rollback, 'database or disk is full'); end`.execute(db);
    const stubborn = async (tx: Tx) => {
      await outcome(put(tx, "huge"));
      await put(tx, "after");
    };

    const outcomes = await Promise.all([
      outcome(transact(db, (tx) => put(tx, "a"))),
      outcome(transact(db, stubborn)),
      outcome(transact(db, (tx) => put(tx, "b"))),
    ]);

    const failure = "database or disk is full";
    expect(outcomes).toEqual([failure, failure, "done"]);
    expect(committedNames()).toBe("b");
  });

  test("yield to the event loop between groups, however many wait", async () => {
    const seen = new Set<number>();
    let isDone = false;
    const watch = async () => {
      for (; !isDone; await nextTurn()) seen.add(commits);
    };

    const writing = Promise.all(Array.from({ length: 300 }, (_, index) => transact(db, (tx) => put(tx, `n${index}`))));
    const watching = watch();
    await writing;
    isDone = true;
    await watching;

    expect([...seen]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("a statement outside transactions", () => {
  test("sees no uncommitted writes", async () => {
    const inserted = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = transact(db, async (tx) => {
      await put(tx, "a");
      inserted.resolve();
      await goOn.promise;
      throw new Error("No.");
    });
    await inserted.promise;

    const reading = names(db);
    await nextTurn();
    goOn.resolve();

    expect(await outcome(writing)).toBe("No.");
    expect(await reading).toBe("");
  });

  test("gets its turn among endless transactions", async () => {
    let isRead = false;
    let rounds = 0;
    const write = async (): Promise<void> => {
      for (; !isRead && rounds < 10_000; rounds++) await transact(db, (tx) => put(tx, `n${rounds}${Math.random()}`));
    };

    const writing = Promise.all(Array.from({ length: 8 }, write));
    await nextTurn();
    await names(db);
    isRead = true;
    await writing;

    expect(rounds).toBeLessThan(10_000);
  });
});

test("a transaction that waits for another connection's write blocks no reader", async () => {
  await transact(db, (tx) => put(tx, "a"));
  const other = new SqliteFile(path);
  other.run("BEGIN IMMEDIATE");

  const writing = transact(db, (tx) => put(tx, "b"));
  await nextTurn();
  const read = await names(db);
  other.run("COMMIT");
  await writing;

  expect(read).toBe("a");
  expect(committedNames()).toBe("a b");
  other.close();
});
