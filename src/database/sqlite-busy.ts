/** How long a statement sleeps in its thread, waiting for another connection's write, before it fails. */
export const busyTimeoutMs = 5_000;
