import { expect, test } from "bun:test";
import { sql } from "kysely";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { partitionCount } from "../clicks/tally.ts";
import { migrations } from "../database/migrations/migrations.ts";
import { acknowledgedPosition, counterPositions } from "./counters.ts";

for (const engine of engines) {
  test(`${engine}: the migration gives each partition of links the former cursor of all links`, async () => {
    const { database, close } = await testDatabase(engine);
    const { db } = database;
    for (const table of ["counterCursors", "releases"]) await db.schema.dropTable(table).execute();
    await sql`create table "cursors" ("reader" text, "spoolId" text, "position" bigint)`.execute(db);
    await sql`insert into "cursors" values
        ('counters', 'one', 5000000000), ('release', 'one', 4000), ('counters', 'two', 7)`.execute(db);

    await migrations(engine)["0013-counter-cursors"]?.up(db);

    const everywhere = (position: number) => Array.from({ length: partitionCount }, () => position);
    expect(await counterPositions(db, "one")).toEqual(everywhere(5_000_000_000));
    expect(await counterPositions(db, "two")).toEqual(everywhere(7));
    expect(await counterPositions(db, "three")).toEqual(everywhere(0));
    expect([await acknowledgedPosition(db, "one"), await acknowledgedPosition(db, "two")]).toEqual([4_000, 0]);
    await close();
  });
}
