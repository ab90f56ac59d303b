/** What one of doctor's checks has found: whether it is right, and the line that says so. */
export type Finding = { check: string; ok: boolean; detail: string };
