const name = "waypost-workspace";

/** The workspace that was open last in this browser; undefined for none. */
export function lastWorkspace(): number | undefined {
  const id = Number(localStorage.getItem(name) ?? Number.NaN);
  return Number.isInteger(id) ? id : undefined;
}

/** Remembers in this browser which workspace is open. */
export function saveLastWorkspace(id: number): void {
  localStorage.setItem(name, String(id));
}
