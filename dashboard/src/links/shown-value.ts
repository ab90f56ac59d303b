const times: readonly string[] = ["startsAt", "expiresAt", "testStartedAt", "testCompletedAt"];

/** A field's value in a link's history, in one line; "" for what was not set. `moment` writes an instant. */
export function shownValue(field: string, value: unknown, moment: (instant: string) => string): string {
  return times.includes(field) && typeof value === "string" && value !== "" ? moment(value) : textOf(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (Array.isArray(value)) return value.map(itemOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Tags have a name; rules and variants are shown as they are. */
function itemOf(item: unknown): string {
  if (typeof item === "object" && item !== null && "name" in item) return String(item.name);
  return textOf(item);
}
