import { errorCode } from "../base/causes.ts";
import { diskFailureOf } from "../base/disk-failure.ts";
import { type Config, ConfigError } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { isDatabaseAway } from "../database/availability.ts";
import { CliError } from "./cli-error.ts";

/** A failure of the PostgreSQL at a URL; `problem` does not name the option with the URL. */
export class DatabaseError extends CliError {
  readonly problem: string;

  /** `advice` is for a URL in WAYPOST_DATABASE_URL only. */
  constructor(problem: string, advice = "") {
    super(`WAYPOST_DATABASE_URL: ${problem}${advice}`);
    this.problem = problem;
  }
}

/** No PostgreSQL answers. It may be back in a moment. */
export class DatabaseAwayError extends DatabaseError {}

/**
 * Turns a failure to open the databases or the spool into a CliError that says what is wrong and what to do.
 * Returns any other error unchanged.
 */
export function explainFailure(error: unknown, config: Config): unknown {
  if (!(error instanceof Error) || error instanceof CliError || error instanceof ConfigError) return error;
  const paths = dataPaths(config);
  const code = errorCode(error);
  if (error.name === "SpoolCorrupt") return new CliError(`The spool in ${paths.spool}: ${error.message}`);
  if (error.message.startsWith("corrupted migrations")) {
    return new CliError(
      "The database was created by a newer version of Waypost. Start that version, or restore a backup.",
    );
  }
  if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
    return new CliError(
      `${paths.sqlite} is damaged or not a SQLite file (${error.message}). Restore a backup, or move the whole folder away to start empty.`,
    );
  }
  const ofDisk = diskFailureOf(error);
  if (code.startsWith("SQLITE_") && ofDisk !== undefined) {
    return new CliError(`${paths.sqlite} cannot be used (${ofDisk.reason}). ${ofDisk.advice}`);
  }
  if (code.startsWith("SQLITE_")) return new CliError(`${paths.sqlite} cannot be used: ${error.message} (${code}).`);
  if (config.WAYPOST_DATABASE_URL !== undefined) return explainPostgres(error, code, config.WAYPOST_DATABASE_URL);
  return error;
}

/** TABLE of codes of certificates that are not accepted. */
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_(GET|VERIFY)_)/;
/** The code of a certificate that names other hosts. */
const otherHost = "ERR_TLS_CERT_ALTNAME_INVALID";
/** Two messages of the driver, which have no codes. */
const withoutTls = "The server does not support SSL connections";
const withoutPassword = /client password must be a (non-empty )?string/;
/** What PostgreSQL says to a role that may not create tables. */
const noRightToCreate = /^permission denied for (schema|database) /;
/** PostgreSQL's code for a database that does not exist. */
const unknownDatabase = "3D000";

/** Timeouts of PostgreSQL: of a statement, a lock, a transaction, and of an idle connection. */
const timeoutCodes = /^(57014|55P03|25P0[34]|57P05)$/;

function explainPostgres(error: Error, code: string, url: string): unknown {
  const { host, searchParams } = new URL(url);
  if (withoutPassword.test(error.message)) {
    return new DatabaseError(`the PostgreSQL at ${host} asks for a password. Put it into the URL, or set PGPASSWORD.`);
  }
  if (error.message === withoutTls) {
    return new DatabaseError(`the PostgreSQL at ${host} has no TLS.`, " Switch it on (ssl = on), or remove sslmode.");
  }
  if (certificateCodes.test(code)) {
    return new DatabaseError(
      `the certificate of the PostgreSQL at ${host} is not accepted: ${error.message} (${code}).`,
      code === otherHost
        ? " Use a host that the certificate names."
        : " For an authority of your own, add &sslrootcert=FILE.",
    );
  }
  const path = "path" in error ? String(error.path) : undefined;
  if (path !== undefined && [...searchParams.values()].includes(path)) {
    return new DatabaseError(`${path} cannot be read (${code}).`);
  }
  // PostgreSQL's codes have five characters, such as 28P01 for a wrong password.
  const isAnswer = /^[0-9A-Z]{5}$/.test(code);
  const isTooSlow = isAnswer ? timeoutCodes.test(code) : /timeout/i.test(error.message);
  // Without its socket file, a local PostgreSQL does not run. One that is too slow for its timeouts may recover.
  if (isDatabaseAway(error) || code === "ENOENT" || isTooSlow) {
    const why = code === "" || isAnswer ? error.message : code;
    return new DatabaseAwayError(
      `no PostgreSQL answers at ${host} (${why}).`,
      " Start it, or leave the option out to use SQLite.",
    );
  }
  if (!isAnswer) return error;
  return new DatabaseError(refusalOf(error, code, new URL(url)));
}

/** What PostgreSQL refuses, and why. The message of PostgreSQL has no full stop. */
function refusalOf({ message }: Error, code: string, { host, pathname }: URL): string {
  const name = pathname.slice(1);
  const refusal = `the PostgreSQL at ${host} refuses ${name === "" ? "a URL without a database" : name}: ${message} (${code}).`;
  if (code === unknownDatabase && name === "") return `${refusal} Add the name to the URL, such as /waypost.`;
  return noRightToCreate.test(message) ? `${refusal} The role must own the database.` : refusal;
}
