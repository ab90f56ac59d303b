import type { Config } from "../config.ts";

/** The options that say where backups are stored, and how to reach them. */
export type StorageConfig = Pick<
  Config,
  | "WAYPOST_S3_ACCESS_KEY_ID"
  | "WAYPOST_S3_ENDPOINT"
  | "WAYPOST_S3_REGION"
  | "WAYPOST_S3_SECRET_ACCESS_KEY"
  | "WAYPOST_S3_SESSION_TOKEN"
>;

/** The bytes of a file to store, at most how many there may be, and a signal that aborts. */
export type StoredFile = { bytes: ReadableStream<Uint8Array>; bytesMax: number; signal: AbortSignal };

/** A place that holds backups: a folder, or a prefix of a bucket. */
export interface BackupStorage {
  /**
   * Stores a file, and returns its bytes. Guarantee: the name appears only when the file is complete.
   * Throws "conflict" for a name that exists, and "unavailable" when the place cannot be written to.
   */
  write(name: string, file: StoredFile): Promise<number>;
  /** Returns the names that begin with `prefix`, in no order. */
  list(prefix: string): Promise<string[]>;
  /** Removes files; missing ones are ignored. */
  remove(names: readonly string[]): Promise<void>;
  /** The address of a file, as `restore` takes it. */
  addressOf(name: string): string;
}
