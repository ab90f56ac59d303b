import { existsSync, rmSync } from "node:fs";
import { connect, type Database } from "../database/database.ts";
import { openSqliteWriter, type SqliteWriter } from "../database/sqlite-writer.ts";
import type { CertificateRow } from "./certificate.ts";

/** The columns that a process holds. */
export type HeldColumns = Pick<CertificateRow, "name" | "chain" | "sealedKey" | "challenge" | "changedAt">;

/**
 * A node's copy of the certificates, for a start while PostgreSQL is down. Its table has the name and columns of the
 * database's, so a CertificateCache reads it with the same queries. Private keys are encrypted as in the database.
 */
export class CertificateCopy {
  readonly #path: string;
  #file: SqliteWriter | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Stores the rows with a certificate; running challenges are of no use later. */
  store(rows: readonly HeldColumns[]): void {
    const file = this.#open();
    // Every row is read again from time to time, and most are the same.
    const upsert = file.query(`INSERT INTO certificates VALUES (?, ?, ?, NULL, ?) ON CONFLICT (name) DO UPDATE SET
      chain = excluded.chain, "sealedKey" = excluded."sealedKey", "changedAt" = excluded."changedAt"
      WHERE "sealedKey" <> excluded."sealedKey"`);
    file.transaction(() => {
      for (const { name, chain, sealedKey, changedAt } of rows) {
        if (chain !== null && sealedKey !== null) upsert.run(name, chain, sealedKey, changedAt);
      }
    })();
  }

  /** Removes the certificates of other names. */
  keepOnly(names: ReadonlySet<string>): void {
    const file = this.#open();
    const stored = file.query<{ name: string }, []>("SELECT name FROM certificates").all();
    for (const { name } of stored) {
      if (!names.has(name)) file.query("DELETE FROM certificates WHERE name = ?").run(name);
    }
  }

  close(): void {
    this.#file?.close();
  }

  #open(): SqliteWriter {
    this.#file ??= openTable(this.#path);
    return this.#file;
  }
}

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
