import { z } from "@hono/zod-openapi";
import { findTimeZone, firstInstant, type TimeZone } from "../analytics/time-zone.ts";
import { readDay, readInstant } from "../base/instant.ts";
import { dayMs, isoTime } from "../base/time.ts";
import { readWholeNumber } from "../base/whole-number.ts";
import { rulesMax } from "../links/link-rules.ts";

/** A text that has 1 to `max` characters after trimming. */
export function name(max: number) {
  return z.string().trim().min(1, "must not be empty").max(max, `must have at most ${max} characters`);
}

/**
 * An instant in a body: ISO 8601, in UTC if it names no offset; parsed to milliseconds. Other forms are refused, since
 * 11/12/2026 is in December in some countries and in November in others. A date without a time means the start of the
 * day, or its end: the first instant of the next day.
 */
export function instant(edge: DayEdge = "start") {
  return z
    .string({ error: ({ input }) => (input === undefined ? undefined : instantExpected) })
    .max(instantCharactersMax, instantExpected)
    .transform((text) => {
      const day = readDay(text.trim());
      return day === undefined ? readInstant(text.trim()) : Math.min(day + daysTo[edge] * dayMs, latestInstant);
    })
    .refine((time) => !Number.isNaN(time), instantExpected)
    .refine((time) => Number.isNaN(time) || isSupported(time), yearExpected)
    .openapi({ type: "string", format: "date-time", example: "2099-01-31T12:00:00.000Z" });
}

/** The edge of a day that a date without a time means. */
type DayEdge = "start" | "end";
/** TABLE of the days from the start of a day to each edge. */
const daysTo = { start: 0, end: 1 } as const;

/** The edge of the day for each field; nested for fields that are objects or lists of objects. */
type DayEdges = { readonly [field: string]: DayEdge | DayEdges };

/**
 * For z.preprocess: replaces dates without a time by instants in the body's `timezone`. A body without `timezone` stays
 * unchanged.
 */
export function datesInZone(edges: DayEdges) {
  return (body: unknown, context: z.RefinementCtx): unknown => {
    if (typeof body !== "object" || body === null || !("timezone" in body)) return body;
    const zone = typeof body.timezone === "string" ? findTimeZone(body.timezone) : undefined;
    if (zone === undefined) {
      context.addIssue({ code: "custom", path: ["timezone"], message: zoneExpected });
      return body;
    }
    return fieldsInZone(body, edges, zone);
  };
}

function fieldsInZone(value: unknown, edges: DayEdges, zone: TimeZone): unknown {
  if (typeof value !== "object" || value === null) return value;
  // The schema refuses longer lists.
  if (Array.isArray(value) && value.length > rulesMax) return value;
  if (Array.isArray(value)) return value.map((item) => fieldsInZone(item, edges, zone));
  const changed = Object.entries(edges).flatMap(([field, edge]) => {
    if (!Object.hasOwn(value, field)) return [];
    const written: unknown = Reflect.get(value, field);
    return [[field, typeof edge === "string" ? dateInZone(written, edge, zone) : fieldsInZone(written, edge, zone)]];
  });
  return { ...value, ...Object.fromEntries(changed) };
}

function dateInZone(text: unknown, edge: DayEdge, zone: TimeZone): unknown {
  const isShort = typeof text === "string" && text.length <= instantCharactersMax;
  const day = isShort ? readDay(text.trim()) : undefined;
  if (day === undefined || !isSupported(day)) return text;
  return isoTime(Math.min(Math.max(0, firstInstant(day + daysTo[edge] * dayMs, zone)), latestInstant));
}

/** East of UTC, 1970-01-01 begins before the first supported instant, which it then means. */
function isSupported(time: number): boolean {
  return time >= 0 && time <= latestInstant;
}

const zoneExpected = "must be an IANA time zone such as Europe/Berlin";
const instantExpected = "must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z";
const yearExpected = "must be from 1970 to 9999, in UTC";
const instantCharactersMax = 64;

/** The end of the year 9999, which is also the end of its last day: many programs write 9999-12-31 for "never". */
const latestInstant = 253_402_300_799_999;

/** A flag in a query: true or false. */
export function queryFlag() {
  return z
    .enum(["true", "false"], "must be true or false")
    .transform((text) => text === "true")
    .openapi({ type: "boolean" });
}

/** A whole number in a query; `otherwise` ends the message for other values. */
export function queryInteger(min: number, max: number, otherwise = "") {
  const message = `must be a whole number from ${min} to ${max}${otherwise}`;
  return z
    .string(message)
    .transform((text) => readWholeNumber(text) ?? Number.NaN)
    .refine((number) => number >= min && number <= max, message)
    .openapi({ type: "integer", minimum: min, maximum: max });
}

/** The last page of most lists that can be requested by number. */
export const pageMax = 1_000;

/** The query parameters of a list that is paged by number. */
export function pageQuery(pageSizeMax: number) {
  return {
    page: queryInteger(1, pageMax).optional(),
    pageSize: queryInteger(1, pageSizeMax).default(pageSizeMax).openapi({ default: pageSizeMax }),
  };
}

/** A search among names that have at most charactersMax characters. */
export function nameSearch(charactersMax: number) {
  return z
    .string()
    .max(charactersMax)
    .optional()
    .openapi({ description: "Matches a part of the name, ignoring case." });
}

/** A list in a query: separated by commas, or a repeated parameter, or both. */
export function queryList(itemsMax: number) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((value) =>
      [value]
        .flat()
        .flatMap((text) => text.split(","))
        .map((text) => text.trim())
        .filter((text) => text !== ""),
    )
    .refine((items) => items.length <= itemsMax, `must have at most ${itemsMax} values`)
    .openapi({ type: "array", items: { type: "string" } });
}

/** An instant in a response: ISO 8601 in UTC, with milliseconds and Z. */
export const timestamp = z.string().openapi({ format: "date-time", example: "2026-11-20T09:30:00.000Z" });
