import { z } from "@hono/zod-openapi";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { keyCharactersMax, keyLengthDefault, keyLengthMin } from "../links/key.ts";
import type { LinkFields, Link as LinkNoun } from "../links/link.ts";
import { tagMatches } from "../links/link-filter.ts";
import { linkPasswordCharactersMax } from "../links/link-password.ts";
import { searchCharactersMax } from "../links/link-search.ts";
import { linkGroupings, linkSorts, pageMax, pageSizeMax, sortOrders } from "../links/list-links.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { tagsPerLinkMax } from "../links/tags.ts";
import { datesInZone, instant, queryFlag, queryInteger, queryList, timestamp } from "./field-schemas.ts";
import { ignored } from "./http/ignored-names.ts";
import {
  fieldAnswers,
  fieldBodies,
  fieldDayEdges,
  nullableText,
  serializeFields,
  urlText,
  utmText,
} from "./link-field-schemas.ts";
import { Tag } from "./tags.ts";

/** Longest slug a caller may name, in characters. */
const slugCharactersMax = 190;

const textOrNull = z.string().nullable();
const timestampOrNull = timestamp.nullable();
const count = z.int().openapi({ example: 0 });

/** The fields of a link that no answer shows. */
type HiddenField = "isOnInstanceDomain" | "domainId" | "foldedKey";

/** A link as the API answers it: every field always, null where unset, except those that are optional. */
export const Link = z
  .object({
    id: z.string().openapi({ example: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB" }),
    domain: z.string().openapi({ example: "go.example.com" }),
    key: z.string().openapi({ description: "The short part; `_root` for a domain's root link.", example: "spring" }),
    url: z.string().openapi({ description: "The destination.", example: "https://example.com/sale?utm_source=mail" }),
    shortLink: z.string().openapi({ format: "uri", example: "https://go.example.com/spring" }),
    qrCode: z.string().openapi({ format: "uri" }),
    ...fieldAnswers,
    folderId: textOrNull,
    password: textOrNull.openapi({ description: "`********` if a password is set." }),
    lastClicked: timestampOrNull,
    tags: z.array(Tag),
    tagId: textOrNull,
    userId: textOrNull,
    workspaceId: z.string().openapi({ example: "1" }),
    projectId: z.string().openapi({ description: "The same as workspaceId.", example: "1" }),
    clicks: count,
    leads: count,
    conversions: count,
    sales: count,
    saleAmount: count,
    webhookIds: z.array(z.string()),
    createdAt: timestamp,
    updatedAt: timestamp,
  } satisfies Record<Exclude<keyof LinkNoun, HiddenField>, z.ZodType> & Record<string, z.ZodType>)
  .openapi("Link");

/** Fields that take a date without a time, and which end of that day it means. */
const dayEdges = { ...fieldDayEdges, rules: { when: { after: "start", before: "end" } } } as const;
const timezone = z.string().optional().openapi({
  description: "The IANA time zone of dates without a time; UTC if absent. Not stored.",
  example: "Europe/Berlin",
});

const linkFields = {
  domain: z.string().max(slugCharactersMax).optional().openapi({
    description:
      "The slug of the link's domain. If absent at creation: the workspace's primary domain if it is verified and not archived, or else the service's domain.",
    example: "go.example.com",
  }),
  key: z.string().max(keyCharactersMax).optional().openapi({ description: "Random when absent.", example: "spring" }),
  ...fieldBodies,
  tagId: z.string().nullish().openapi({ deprecated: true, description: "One of tagIds." }),
  tagIds: bodyList("Replaces all tags of the link; a list, or ids separated by commas."),
  tagNames: bodyList("As tagIds, by name in any case."),
  folderId: z.string().nullish().openapi({ description: 'The folder it is in; "" or null for none.' }),
  password: nullableText(linkPasswordCharactersMax).openapi({
    description: 'Asked of visitors. `********` changes nothing, "" or null clears it.',
  }),
  disabled: z.boolean().optional().openapi({
    description:
      "true sets `disabledAt` to now, unless it has passed already; false sets it to null. It must not contradict a `disabledAt` in the same body.",
  }),
  ref: utmText.openapi({ description: "Only added to url as a query parameter." }),
  // Exactly the fields that a link has: one more here would be accepted and forgotten.
} satisfies Record<keyof LinkFields, z.ZodType>;

/** Fields of Dub's links that have no counterpart here. */
const dubFields = { webhookIds: ignored(), identifier: ignored(), linkRetentionCleanupDisabledAt: ignored() };

/** The body that makes a link. */
export const NewLinkBody = z
  .preprocess(
    datesInZone(dayEdges),
    z.object({
      url: urlText.openapi({
        description: "If the scheme is missing, https:// is added.",
        example: "https://example.com",
      }),
      ...linkFields,
      ...dubFields,
      timezone,
      keyLength: z
        .int()
        .min(keyLengthMin)
        .max(keyCharactersMax)
        .optional()
        .openapi({
          description: `Characters of a random key, ${keyLengthDefault} when absent.`,
        }),
      prefix: z.string().max(keyCharactersMax).optional().openapi({
        description: "The prefix of a random key, followed by a slash.",
        example: "news",
      }),
    }),
  )
  .openapi("NewLink");

const changes = z.object({ url: urlText.optional(), ...linkFields, ...dubFields, timezone });

/** The body that changes a link; fields left out stay as they are. */
export const LinkChangesBody = z.preprocess(datesInZone(dayEdges), changes).openapi("LinkChanges");

/** What changes several links: all that more than one of them can have. */
export const SharedChangesBody = z.preprocess(
  datesInZone(dayEdges),
  changes.omit({ domain: true, key: true, externalId: true }),
);

/** The path's part that names a link. */
export const linkPath = z.object({
  linkId: z.string().openapi({
    description: "The link's id, or `ext_` and its externalId.",
    example: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  }),
});

const slugQuery = z.string().max(slugCharactersMax).optional().openapi({ example: "go.example.com" });

/** A key on a domain; without a domain, on the domain of links that name none. */
export const keyQuery = z.object({
  domain: slugQuery,
  key: z.string("is missing; it must be a key").max(keyCharactersMax).openapi({ example: "spring" }),
});

/** The ways to name one link in a query. */
export const linkNameQuery = z.object({
  linkId: z.string().optional(),
  externalId: z.string().optional().openapi({ description: "The externalId with the prefix `ext_`." }),
  domain: slugQuery,
  key: z.string().max(keyCharactersMax).optional().openapi({ description: "If absent: the root link of the domain." }),
});

const filterQuery = {
  domain: slugQuery,
  tagId: z.string().optional().openapi({ deprecated: true }),
  tagIds: queryList(tagsPerLinkMax).optional(),
  tagNames: queryList(tagsPerLinkMax).optional(),
  tagMatch: z
    .enum(tagMatches)
    .default("any")
    .openapi({ default: "any", description: "Whether a link must have one of the given tags, or all of them." }),
  folderId: z.string().optional().openapi({ description: "`unsorted` means links in no folder." }),
  search: z.string().max(searchCharactersMax).optional().openapi({
    description:
      "A part of the short link, the url, the title, the first 1,000 characters of the comments, or the name of a tag or of the folder, ignoring case. One or two characters match the beginning of the key or of a name.",
  }),
  userId: z.string().optional(),
  tenantId: z.string().optional(),
  showArchived: queryFlag().default(false).openapi({ default: false, description: "Includes archived links." }),
  root: queryFlag().optional().openapi({
    description: "true selects only the root links of domains, false only other links; both if absent.",
  }),
  withTags: queryFlag().default(false).openapi({ default: false, description: "Only links with a tag." }),
  createdAfter: instant().optional().openapi({ description: "Inclusive." }),
  createdBefore: instant().optional().openapi({ description: "Exclusive." }),
};

/** The filters that links are counted by, and what the count is taken apart by. */
export const linkCountQuery = z.object({
  ...filterQuery,
  groupBy: z
    .enum(linkGroupings)
    .optional()
    .openapi({ description: "Counts the links of each value of this field, largest first." }),
});

/** How many links have one value: the field that was grouped by, and `_count`. */
export const LinkGroup = z
  .object({
    domain: textOrNull.optional(),
    tagId: textOrNull.optional(),
    userId: textOrNull.optional(),
    folderId: textOrNull.optional(),
    _count: z.int(),
  })
  .openapi("LinkGroup", { example: { domain: "go.example.com", _count: 42 } });

/** The filters of a list of links, and the requested page. */
export const linkListQuery = z.object({
  ...filterQuery,
  page: queryInteger(1, pageMax, "; beyond it, use startingAfter").optional(),
  pageSize: queryInteger(1, pageSizeMax).default(pageSizeMax).openapi({ default: pageSizeMax }),
  startingAfter: z.string().optional().openapi({ description: "The id of a link; the page starts after this link." }),
  endingBefore: z.string().optional().openapi({ description: "The id of a link; the page ends before this link." }),
  sortBy: z.enum(linkSorts).default("createdAt"),
  sortOrder: z.enum(sortOrders).default("desc").openapi({
    default: "desc",
    description: "With lastClicked, links that were never clicked come last in either order.",
  }),
});

/** A link as the API answers it; `appUrl` is where the service itself is reached. */
export function serializeLink(link: LinkNoun, appUrl: URL): z.input<typeof Link> {
  const { id, domain, key, url, folderId, password, tags, userId, clicks } = link;
  const shortLink = shortLinkOf(link, appUrl);
  return {
    ...{ id, domain, key, url, shortLink },
    qrCode: `${appUrl.origin}/v1/qr?url=${encodeURIComponent(`${shortLink}?qr=1`)}`,
    ...serializeFields(link),
    ...{ folderId, password, tags, userId, clicks },
    tagId: tags[0]?.id ?? null,
    webhookIds: [],
    lastClicked: isoTimeOrNull(link.lastClicked),
    workspaceId: String(link.workspaceId),
    projectId: String(link.workspaceId),
    leads: 0,
    conversions: 0,
    sales: 0,
    saleAmount: 0,
    createdAt: isoTime(link.createdAt),
    updatedAt: isoTime(link.updatedAt),
  };
}

/** A list in a body: an array of texts, or one text with commas. */
function bodyList(description: string) {
  return z
    .union([z.string(), z.array(z.string())], "must be a list of texts, or one text with commas between the values")
    .transform((value) => {
      const items = typeof value === "string" ? value.split(",") : value;
      return items.map((item) => item.trim()).filter((item) => item !== "");
    })
    .refine((items) => items.length <= tagsPerLinkMax, `must have at most ${tagsPerLinkMax} values`)
    .nullish()
    .openapi({ type: ["array", "null"], items: { type: "string" }, description });
}
