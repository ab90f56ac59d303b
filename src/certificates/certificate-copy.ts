import { existsSync, rmSync } from "node:fs";
import type { Log } from "../base/log.ts";
import { connect, type Database } from "../database/database.ts";
import { openSqliteWriter, type SqliteWriter } from "../database/sqlite-writer.ts";
import type { CertificateRow } from "./certificate.ts";

/** The columns that a process holds. */
export type CopiedColumns = Pick<CertificateRow, "name" | "chain" | "sealedKey" | "challenge" | "changedAt">;

/**
 * A node's copy of the certificates, for a start while PostgreSQL is down. Its table has the name and columns of the
 * database's, so a CertificateCache reads it with the same queries. Private keys are encrypted as in the database.
 *
 * A copy that cannot be written, as on a full disk, keeps no certificate from being used: it is logged, and all rows are stored
 * again from time to time.
 */
export class CertificateCopy {
  readonly #path: string;
  readonly #log: Pick<Log, "error">;
  #file: SqliteWriter | undefined;
  #isFailing = false;

  constructor(path: string, log: Pick<Log, "error">) {
    this.#path = path;
    this.#log = log;
  }

  /** Stores the rows with a certificate; running challenges are of no use later. */
  store(rows: readonly CopiedColumns[]): void {
    this.#write((file) => {
      // Most rows are stored already.
      const upsert = file.query(`INSERT INTO certificates VALUES (?, ?, ?, NULL, ?) ON CONFLICT (name) DO UPDATE SET
        chain = excluded.chain, "sealedKey" = excluded."sealedKey", "changedAt" = excluded."changedAt"
        WHERE "sealedKey" <> excluded."sealedKey"`);
      for (const { name, chain, sealedKey, changedAt } of rows) {
        if (chain !== null && sealedKey !== null) upsert.run(name, chain, sealedKey, changedAt);
      }
    });
  }

  /** Removes the certificates of other names. */
  keepOnly(names: ReadonlySet<string>): void {
    this.#write((file) => {
      const stored = file.query<{ name: string }, []>("SELECT name FROM certificates").all();
      for (const { name } of stored) {
        if (!names.has(name)) file.query("DELETE FROM certificates WHERE name = ?").run(name);
      }
    });
  }

  close(): void {
    this.#file?.close();
  }

  #write(work: (file: SqliteWriter) => void): void {
    try {
      const file = this.#file ?? openTable(this.#path);
      this.#file = file;
      file.transaction(() => work(file))();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.error(unwritable, { error });
      this.#isFailing = true;
    }
  }
}

const unwritable =
  "The copy of the certificates cannot be written: a start while PostgreSQL is down would have no HTTPS, or former certificates.";

/** Opens a copy for a CertificateCache; undefined when there is none. */
export function openCertificateCopy(path: string): Database | undefined {
  return existsSync(path) ? connect({ kind: "sqlite", path }, "lossy") : undefined;
}

function openTable(path: string): SqliteWriter {
  try {
    const file = openSqliteWriter(path);
    file.run(
      `CREATE TABLE IF NOT EXISTS certificates (name TEXT PRIMARY KEY, chain, "sealedKey", challenge, "changedAt")`,
    );
    return file;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "SQLITE_NOTADB") throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return openTable(path);
  }
}
