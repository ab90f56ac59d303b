/** How long a statement sleeps in its thread, waiting for another connection's write, before it fails. */
export const busyTimeoutMs = 5_000;

/** Whether SQLite refused since another connection holds what was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
