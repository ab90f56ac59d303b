/** Whether SQLite refused since another connection holds what was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
