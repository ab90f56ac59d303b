import { z } from "@hono/zod-openapi";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { urlCharactersMax } from "../links/destination-url.ts";
import { keyCharactersMax, keyLengthDefault, keyLengthMin } from "../links/key.ts";
import {
  type LinkFields,
  type Link as LinkNoun,
  maxClicksMax,
  type RedirectStatus,
  redirectStatuses,
  testPercentageMax,
  testPercentageMin,
  testVariantsMax,
  testVariantsMin,
  textMax,
} from "../links/link.ts";
import { tagMatches } from "../links/link-filter.ts";
import { searchCharactersMax } from "../links/link-search.ts";
import { linkGroupings, linkSorts, pageMax, pageSizeMax, sortOrders } from "../links/list-links.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { tagsPerLinkMax } from "../links/tags.ts";
import { datesInZone, instant, queryFlag, queryInteger, queryList, timestamp } from "./field-schemas.ts";
import { ignored } from "./http/ignored-names.ts";
import { Rule, refusePrototype, rulesBody, serialiseRule } from "./rule-schemas.ts";
import { Tag } from "./tags.ts";

const statusExpected = `must be one of the numbers ${redirectStatuses.join(", ")}`;

/** Longest slug a caller may name, in characters. */
const slugCharactersMax = 190;

/** What is said of fields that can be written and read, and that nothing looks at yet. */
const inert = "Stored; without effect so far.";

const textOrNull = z.string().nullable();
const timestampOrNull = timestamp.nullable();
const count = z.int().openapi({ example: 0 });

const TestVariant = z
  .object({
    url: z.string().openapi({ example: "https://example.com/variant-a" }),
    percentage: z.number().openapi({ example: 50 }),
  })
  .openapi("TestVariant");

/** The fields of a link that no answer shows. */
type HiddenField = "isOnInstanceDomain" | "domainId" | "foldedKey";

/** A link as the API answers it: every field always, null where unset, except those that are optional. */
export const Link = z
  .object({
    id: z.string().openapi({ example: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB" }),
    domain: z.string().openapi({ example: "go.example.com" }),
    key: z.string().openapi({ description: "The short part; `_root` for a domain's root link.", example: "spring" }),
    url: z.string().openapi({ description: "Where it leads.", example: "https://example.com/sale?utm_source=mail" }),
    shortLink: z.string().openapi({ format: "uri", example: "https://go.example.com/spring" }),
    qrCode: z.string().openapi({ format: "uri" }),
    externalId: textOrNull,
    tenantId: textOrNull,
    programId: textOrNull,
    partnerId: textOrNull,
    folderId: textOrNull,
    comments: textOrNull,
    password: textOrNull.openapi({ description: "`********` when one is set." }),
    title: textOrNull,
    description: textOrNull,
    image: textOrNull,
    video: textOrNull,
    ios: textOrNull,
    android: textOrNull,
    expiredUrl: textOrNull,
    expiresAt: timestampOrNull,
    disabledAt: timestampOrNull,
    lastClicked: timestampOrNull,
    utm_source: textOrNull,
    utm_medium: textOrNull,
    utm_campaign: textOrNull,
    utm_term: textOrNull,
    utm_content: textOrNull,
    archived: z.boolean(),
    proxy: z.boolean(),
    rewrite: z.boolean(),
    doIndex: z.boolean(),
    publicStats: z.boolean(),
    trackConversion: z.boolean(),
    geo: z
      .record(z.string(), z.string())
      .nullable()
      .openapi({ example: { DE: "https://example.com/de" } }),
    tags: z.array(Tag),
    tagId: textOrNull,
    testVariants: z.array(TestVariant).nullable(),
    testStartedAt: timestampOrNull,
    testCompletedAt: timestampOrNull,
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
    startsAt: timestamp.optional().openapi({ description: "Left out while unset." }),
    maxClicks: z.int().optional().openapi({ description: "Left out while unset." }),
    forwardPath: z.literal(true).optional().openapi({ description: "Left out while unset." }),
    rules: z.array(Rule).optional().openapi({ description: "Left out while unset." }),
    redirectStatus: redirectStatus().optional().openapi({ description: "Left out while unset, which means 302." }),
  } satisfies Record<Exclude<keyof LinkNoun, HiddenField>, z.ZodType> & Record<string, z.ZodType>)
  .openapi("Link");

const utm = z.string().trim().max(textMax.utm, `may have at most ${textMax.utm} characters`).nullish();
const urlText = z.string().max(urlCharactersMax, `may have at most ${urlCharactersMax} characters`);
const flag = z.boolean().optional();
// A type that is written out hides from the document that null is accepted too, so it is written out again.
const instantOrNull = (edge: "start" | "end") =>
  instant(edge)
    .nullish()
    .openapi({ type: ["string", "null"] });

/** Fields that take a date without a time, and which end of that day it means. */
const dayEdges = {
  startsAt: "start",
  expiresAt: "end",
  testStartedAt: "start",
  testCompletedAt: "end",
  rules: { when: { after: "start", before: "end" } },
} as const;
const wholeDay = "A date without a time means the whole day, in `timezone`.";
const timezone = z.string().optional().openapi({
  description: "An IANA name, in which dates without a time are meant; UTC when absent. Not stored.",
  example: "Europe/Berlin",
});

const linkFields = {
  domain: z.string().max(slugCharactersMax).optional().openapi({
    description: "Its slug. On creation the workspace's primary domain when absent, else the instance's.",
    example: "go.example.com",
  }),
  key: z.string().max(keyCharactersMax).optional().openapi({ description: "Random when absent.", example: "spring" }),
  externalId: nullableText(textMax.externalId, "Your own id, unique in the workspace; a leading `ext_` is cut off."),
  tenantId: nullableText(textMax.tenantId, "Your own id of the customer the link is for."),
  programId: nullableText(textMax.programId, inert),
  partnerId: nullableText(textMax.partnerId, inert),
  tagId: z.string().nullish().openapi({ deprecated: true, description: "One of tagIds." }),
  tagIds: bodyList("Replaces all tags of the link; a list, or ids separated by commas."),
  tagNames: bodyList("As tagIds, by name in any case."),
  folderId: z.string().nullish().openapi({ description: 'The folder it is in; "" or null for none.' }),
  comments: nullableText(textMax.comments, "For the workspace's eyes only."),
  password: nullableText(textMax.password, 'Asked of visitors. `********` changes nothing, "" or null clears it.'),
  title: z.string().nullish().openapi({ description: "For previews; cut to 120 characters." }),
  description: z.string().nullish().openapi({ description: "For previews; cut to 240 characters." }),
  image: nullableText(
    textMax.image,
    "For previews: an http(s) url or a base64 data url of some 73 KiB at most; what is neither counts as null.",
  ),
  video: nullableText(textMax.video, "For previews."),
  proxy: flag.openapi({
    description: "Shows title, description, image and video to programs that make previews; people are sent on.",
  }),
  rewrite: flag.openapi({ description: "Shows the destination in a frame, so that the address stays the short link." }),
  doIndex: flag.openapi({ description: "Lets search engines index the short link." }),
  publicStats: flag.openapi({ description: inert }),
  trackConversion: flag.openapi({ description: inert }),
  archived: flag,
  startsAt: instantOrNull("start").openapi({ description: wholeDay }),
  expiresAt: instantOrNull("end").openapi({ description: `${wholeDay} The link then expires at its end.` }),
  expiredUrl: urlText.nullish(),
  disabledAt: instantOrNull("start").openapi({
    description:
      "From when on visitors get the domain's `notFoundUrl`, else a page with 410, and not the destination; null enables it again.",
  }),
  disabled: flag.openapi({
    description:
      "true sets `disabledAt` to now, unless it has passed already; false sets it to null. It must not contradict a `disabledAt` in the same body.",
  }),
  redirectStatus: redirectStatus()
    .nullish()
    .openapi({ type: ["integer", "null"], enum: [...redirectStatuses, null] }),
  ios: urlText.nullish(),
  android: urlText.nullish(),
  geo: z
    .preprocess(refusePrototype, z.record(z.string(), urlText).nullish())
    .openapi({ type: ["object", "null"], additionalProperties: { type: "string", maxLength: urlCharactersMax } })
    .openapi({ description: "Country code to url.", example: { DE: "https://example.com/de" } }),
  testVariants: z
    .array(z.object({ url: urlText, percentage: z.number().min(testPercentageMin).max(testPercentageMax) }))
    .min(testVariantsMin)
    .max(testVariantsMax)
    .nullish()
    .openapi({
      description:
        "Destinations among which visitors are divided, in percent or as parts of their sum; each visitor keeps theirs.",
    }),
  testStartedAt: instantOrNull("start").openapi({ description: "When the division begins; at once when absent." }),
  testCompletedAt: instantOrNull("end").openapi({ description: "When it ends, and url serves all again." }),
  utm_source: utm,
  utm_medium: utm,
  utm_campaign: utm,
  utm_term: utm,
  utm_content: utm,
  ref: utm.openapi({ description: "Written into url only." }),
  maxClicks: z
    .int()
    .min(1)
    .max(maxClicksMax)
    .nullish()
    .openapi({ description: "Clicks after which it is used up; bots use none up. Raised, it is open again." }),
  forwardPath: z.boolean().nullish().openapi({
    description: "Puts what stands in the path behind the key behind the destination's path.",
  }),
  rules: rulesBody.openapi({
    description:
      "Destinations for some visitors; the first whose conditions all hold decides, before ios, android, geo.",
  }),
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
        description: "Without a scheme, https:// is put in front.",
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
        description: "What a random key begins with; a slash is put between.",
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

/** The ways to name one link in a query. */
export const linkNameQuery = z.object({
  linkId: z.string().optional(),
  externalId: z.string().optional().openapi({ description: "With `ext_` in front." }),
  domain: slugQuery,
  key: z.string().max(keyCharactersMax).optional().openapi({ description: "Absent: the domain's root link." }),
});

const filterQuery = {
  domain: slugQuery,
  tagId: z.string().optional().openapi({ deprecated: true }),
  tagIds: queryList(tagsPerLinkMax).optional(),
  tagNames: queryList(tagsPerLinkMax).optional(),
  tagMatch: z
    .enum(tagMatches)
    .default("any")
    .openapi({ default: "any", description: "Whether a link must have one of the tags named, or all of them." }),
  folderId: z.string().optional().openapi({ description: "`unsorted` means links in no folder." }),
  search: z.string().max(searchCharactersMax).optional().openapi({
    description:
      "Part of the short link or the url, in any case; one or two characters match the beginning of the key.",
  }),
  userId: z.string().optional(),
  tenantId: z.string().optional(),
  showArchived: queryFlag().default(false).openapi({ default: false, description: "Adds archived links." }),
  withTags: queryFlag().default(false).openapi({ default: false, description: "Only links with a tag." }),
  createdAfter: instant().optional().openapi({ description: "This instant included." }),
  createdBefore: instant().optional().openapi({ description: "This instant not included." }),
};

/** The filters that links are counted by, and what the count is taken apart by. */
export const linkCountQuery = z.object({
  ...filterQuery,
  groupBy: z.enum(linkGroupings).optional().openapi({ description: "Counts each of its values apart, largest first." }),
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

/** The filters that links are listed by, and which part of them is wanted. */
export const linkListQuery = z.object({
  ...filterQuery,
  page: queryInteger(1, pageMax, "; beyond it, use startingAfter").optional(),
  pageSize: queryInteger(1, pageSizeMax).default(pageSizeMax).openapi({ default: pageSizeMax }),
  startingAfter: z.string().optional().openapi({ description: "A link's id: the page begins behind it." }),
  endingBefore: z.string().optional().openapi({ description: "A link's id: the page ends before it." }),
  sortBy: z.enum(linkSorts).default("createdAt"),
  sortOrder: z
    .enum(sortOrders)
    .default("desc")
    .openapi({ default: "desc", description: "Links never clicked are last by lastClicked in either order." }),
});

/** A link as the API answers it; `appUrl` is where the service itself is reached. */
export function serialiseLink(link: LinkNoun, appUrl: URL): z.input<typeof Link> {
  const { isOnInstanceDomain: _, domainId: __, foldedKey: ___, startsAt, redirectStatus: status, ...rest } = link;
  const { maxClicks, forwardPath, rules, ...same } = rest;
  const shortLink = shortLinkOf(link, appUrl);
  return {
    ...same,
    shortLink,
    qrCode: `${appUrl.origin}/v1/qr?url=${encodeURIComponent(`${shortLink}?qr=1`)}`,
    tagId: link.tags[0]?.id ?? null,
    webhookIds: [],
    expiresAt: isoTimeOrNull(link.expiresAt),
    disabledAt: isoTimeOrNull(link.disabledAt),
    lastClicked: isoTimeOrNull(link.lastClicked),
    testStartedAt: isoTimeOrNull(link.testStartedAt),
    testCompletedAt: isoTimeOrNull(link.testCompletedAt),
    workspaceId: String(link.workspaceId),
    projectId: String(link.workspaceId),
    leads: 0,
    conversions: 0,
    sales: 0,
    saleAmount: 0,
    createdAt: isoTime(link.createdAt),
    updatedAt: isoTime(link.updatedAt),
    ...(startsAt === null ? {} : { startsAt: isoTime(startsAt) }),
    ...(maxClicks === null ? {} : { maxClicks }),
    ...(forwardPath ? { forwardPath } : {}),
    ...(rules === null ? {} : { rules: rules.map(serialiseRule) }),
    ...(status === null ? {} : { redirectStatus: status }),
  };
}

function redirectStatus() {
  return z
    .number(statusExpected)
    .refine((status): status is RedirectStatus => redirectStatuses.some((known) => known === status), {
      message: statusExpected,
    })
    .openapi({ type: "integer", enum: [...redirectStatuses] });
}

function nullableText(max: number, description: string) {
  return z.string().max(max, `may have at most ${max} characters`).nullish().openapi({ description });
}

/** A list in a body: an array of texts, or one text with commas. */
function bodyList(description: string) {
  return z
    .union([z.string(), z.array(z.string())], "must be a list of texts, or one text with commas")
    .transform((value) => {
      const items = typeof value === "string" ? value.split(",") : value;
      return items.map((item) => item.trim()).filter((item) => item !== "");
    })
    .refine((items) => items.length <= tagsPerLinkMax, `may hold at most ${tagsPerLinkMax} values`)
    .nullish()
    .openapi({ type: ["array", "null"], items: { type: "string" }, description });
}
