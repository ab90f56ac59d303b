const name = "waypost-workspace";

/** The workspace opened last in this browser; undefined if there is none. */
export function lastWorkspace(): number | undefined {
  const id = Number(localStorage.getItem(name) ?? Number.NaN);
  return Number.isInteger(id) ? id : undefined;
}

/** Stores the open workspace in this browser. */
export function saveLastWorkspace(id: number): void {
  localStorage.setItem(name, String(id));
}
