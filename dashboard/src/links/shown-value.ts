import type { Format } from "../base/format.ts";
import { holdsInstant } from "./link-fields.ts";

/** A field's value in the history, as one line; "" for an unset field. */
export function shownValue(field: string, value: unknown, format: Pick<Format, "instant" | "number">): string {
  if (holdsInstant(field) && typeof value === "string" && value !== "") return format.instant(value);
  return typeof value === "number" ? format.number(value) : textOf(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (Array.isArray(value)) return value.map(itemOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Tags are shown by name; rules and variants as JSON. */
function itemOf(item: unknown): string {
  if (typeof item === "object" && item !== null && "name" in item) return String(item.name);
  return textOf(item);
}
