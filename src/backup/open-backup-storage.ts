import type { BackupPlace } from "../base/option-parsers.ts";
import type { BackupStorage, StorageConfig } from "./backup-storage.ts";
import { FolderStorage } from "./folder-storage.ts";
import { S3Storage } from "./s3-storage.ts";

/** Opens the place that an option or an argument names. */
export function openBackupStorage(place: BackupPlace, config: StorageConfig): BackupStorage {
  return place.kind === "folder" ? new FolderStorage(place.path) : new S3Storage(place, config);
}
