/** SQL for a list of quoted columns. */
export function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}
