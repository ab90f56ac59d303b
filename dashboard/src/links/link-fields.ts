import type { Schemas } from "../../../sdk/client.ts";
import type { DayEdge } from "../base/time-text.ts";
import type { Texts } from "../texts/en/en.ts";
import { descriptionCharactersMax, ownIdCharactersMax, titleCharactersMax } from "./bounds.ts";

/**
 * The fields of a link in the dashboard. A plain new field takes a line here and its texts. The draft of the editor,
 * the changes that it sends, its controls, the errors that it shows and the labels of the history derive from this
 * table.
 */

type Changes = Required<Schemas["LinkChanges"]>;
/** Other spellings of a field, parameters of the URL or of the call, and names that the API accepts without effect. */
type OtherName =
  | ("tagId" | "tagNames" | "disabled" | "ref" | "timezone")
  | ("identifier" | "linkRetentionCleanupDisabledAt" | "webhookIds");
/** The name of a field that a client can write. */
type LinkFieldName = Exclude<keyof Changes, OtherName>;

type Text = (links: Texts["links"]) => string;

/** Sections that show their fields with SectionFields, in the order of the table. */
export type TableSection = "targets" | "limits" | "card" | "redirect" | "advanced";
/** The sections that a chip of the editor opens: the most used ones, in the order of the chips. */
export const chipSections = ["utm", "password", "limits", "tags", "folder", "test", "comments"] as const;
export type ChipSection = (typeof chipSections)[number];
/** The sections that the editor shows under "More". */
export const moreSections = ["rules", "targets", "card", "redirect", "advanced"] as const;
export type MoreSection = (typeof moreSections)[number];
/** All sections of the editor. The basics are always open. */
export type EditorSection = "basics" | ChipSection | MoreSection;

/** Where the editor shows a field. With `control: "custom"`, the section itself renders the control. */
type FieldPosition =
  | { section: TableSection; control?: "custom"; isHalfWidth?: true }
  | { section: Exclude<EditorSection, TableSection>; control: "custom" }
  | { section: "none" };

/**
 * What a field holds: a text, a URL, an instant or a number that a person types, a flag, or a custom value with its own
 * conversion in editor/draft.ts. An instant typed without a time is the `edge` of its day, as in the API. A utm field is a part of the link's URL.
 */
type Kind =
  | { kind: "text"; charactersMax?: number; rows?: number }
  | { kind: "url"; placeholder?: string }
  | { kind: "instant"; edge: DayEdge }
  | { kind: "number" | "flag" }
  | { kind: "custom" | "utm"; control: "custom" };

/** A field of any kind, for code that treats all fields alike. `label` also names the field in the history. */
export type LinkField = { label: Text; hint?: Text } & FieldPosition & Kind;

/** The kinds that can hold the API's values of a field. */
type KindFor<Value> = [Value] extends [boolean | null]
  ? "flag"
  : [Value] extends [string | null]
    ? "text" | "url" | "instant" | "custom" | "utm"
    : [Value] extends [number | null]
      ? "number" | "custom"
      : "custom";

/** TABLE of link fields. It does not compile unless it has exactly the fields that the API accepts in a change. */
export const linkFields = {
  url: { kind: "custom", section: "basics", control: "custom", label: ({ editor }) => editor.url },
  title: {
    kind: "text",
    section: "basics",
    control: "custom",
    charactersMax: titleCharactersMax,
    label: ({ editor }) => editor.title,
  },
  domain: { kind: "custom", section: "basics", control: "custom", label: ({ editor }) => editor.domain },
  key: { kind: "custom", section: "basics", control: "custom", label: ({ editor }) => editor.key },
  tagIds: { kind: "custom", section: "tags", control: "custom", label: ({ filters }) => filters.tags },
  folderId: { kind: "text", section: "folder", control: "custom", label: ({ filters }) => filters.folder },
  comments: { kind: "text", section: "comments", control: "custom", label: ({ editor }) => editor.comments },
  utm_source: { kind: "utm", section: "utm", control: "custom", label: ({ utm }) => utm.fields.utm_source },
  utm_medium: { kind: "utm", section: "utm", control: "custom", label: ({ utm }) => utm.fields.utm_medium },
  utm_campaign: { kind: "utm", section: "utm", control: "custom", label: ({ utm }) => utm.fields.utm_campaign },
  utm_term: { kind: "utm", section: "utm", control: "custom", label: ({ utm }) => utm.fields.utm_term },
  utm_content: { kind: "utm", section: "utm", control: "custom", label: ({ utm }) => utm.fields.utm_content },
  expiresAt: {
    kind: "instant",
    edge: "end",
    section: "limits",
    isHalfWidth: true,
    label: ({ limits }) => limits.expiresAt,
    hint: ({ limits }) => limits.expiresAtHint,
  },
  startsAt: {
    kind: "instant",
    edge: "start",
    section: "limits",
    isHalfWidth: true,
    label: ({ limits }) => limits.startsAt,
  },
  maxClicks: {
    kind: "number",
    section: "limits",
    isHalfWidth: true,
    label: ({ limits }) => limits.maxClicks,
    hint: ({ limits }) => limits.maxClicksHint,
  },
  expiredUrl: {
    kind: "url",
    section: "limits",
    isHalfWidth: true,
    label: ({ limits }) => limits.expiredUrl,
    hint: ({ limits }) => limits.expiredUrlHint,
  },
  rules: { kind: "custom", section: "rules", control: "custom", label: ({ rules }) => rules.title },
  ios: {
    kind: "url",
    section: "targets",
    isHalfWidth: true,
    placeholder: "https://apps.apple.com/…",
    label: ({ targets }) => targets.ios,
  },
  android: {
    kind: "url",
    section: "targets",
    isHalfWidth: true,
    placeholder: "https://play.google.com/…",
    label: ({ targets }) => targets.android,
  },
  geo: { kind: "custom", section: "targets", control: "custom", label: ({ targets }) => targets.countries },
  testVariants: { kind: "custom", section: "test", control: "custom", label: ({ test }) => test.title },
  testStartedAt: {
    kind: "instant",
    edge: "start",
    section: "test",
    control: "custom",
    label: ({ test }) => test.startedAt,
  },
  testCompletedAt: {
    kind: "instant",
    edge: "end",
    section: "test",
    control: "custom",
    label: ({ test }) => test.completedAt,
  },
  password: { kind: "custom", section: "password", control: "custom", label: ({ password }) => password.label },
  proxy: {
    kind: "flag",
    section: "card",
    label: ({ card }) => card.proxy,
    hint: ({ card }) => card.proxyHint,
  },
  description: {
    kind: "text",
    section: "card",
    charactersMax: descriptionCharactersMax,
    rows: 2,
    label: ({ card }) => card.description,
  },
  image: { kind: "url", section: "card", control: "custom", label: ({ card }) => card.imageFile },
  video: {
    kind: "url",
    section: "card",
    placeholder: "https://example.com/card.mp4",
    label: ({ card }) => card.video,
  },
  redirectStatus: { kind: "custom", section: "redirect", control: "custom", label: ({ redirect }) => redirect.status },
  forwardPath: {
    kind: "flag",
    section: "redirect",
    label: ({ redirect }) => redirect.forwardPath,
    hint: ({ redirect }) => redirect.forwardPathHint,
  },
  rewrite: {
    kind: "flag",
    section: "redirect",
    label: ({ redirect }) => redirect.rewrite,
    hint: ({ redirect }) => redirect.rewriteHint,
  },
  doIndex: {
    kind: "flag",
    section: "redirect",
    label: ({ redirect }) => redirect.doIndex,
    hint: ({ redirect }) => redirect.doIndexHint,
  },
  externalId: {
    kind: "text",
    section: "advanced",
    isHalfWidth: true,
    charactersMax: ownIdCharactersMax,
    label: ({ advanced }) => advanced.externalId,
    hint: ({ advanced }) => advanced.externalIdHint,
  },
  tenantId: {
    kind: "text",
    section: "advanced",
    isHalfWidth: true,
    charactersMax: ownIdCharactersMax,
    label: ({ advanced }) => advanced.tenantId,
    hint: ({ advanced }) => advanced.tenantIdHint,
  },
  trackConversion: {
    kind: "flag",
    section: "advanced",
    label: ({ advanced }) => advanced.trackConversion,
    hint: ({ advanced }) => advanced.trackConversionHint,
  },
  archived: {
    kind: "flag",
    section: "advanced",
    label: ({ advanced }) => advanced.archived,
    hint: ({ advanced }) => advanced.archivedHint,
  },
  disabledAt: { kind: "instant", edge: "start", section: "none", label: ({ list }) => list.disabled },
  programId: { kind: "text", section: "none", label: ({ advanced }) => advanced.programId },
  partnerId: { kind: "text", section: "none", label: ({ advanced }) => advanced.partnerId },
  publicStats: { kind: "flag", section: "none", label: ({ advanced }) => advanced.publicStats },
} as const satisfies { [Name in LinkFieldName]: LinkField & { kind: KindFor<Changes[Name]> } };

type Table = typeof linkFields;
/** The fields that the editor's draft holds. */
export type DraftFieldName = {
  [Name in LinkFieldName]: Table[Name] extends { section: "none" } | { kind: "utm" } ? never : Name;
}[LinkFieldName];
/** The fields of a draft that are of one kind. */
export type DraftFieldOf<Of extends LinkField["kind"]> = {
  [Name in DraftFieldName]: Table[Name] extends { kind: Of } ? Name : never;
}[DraftFieldName];
/** The fields of a section that have a custom control. */
export type CustomControlName<Section extends TableSection> = {
  [Name in DraftFieldName]: Table[Name] extends { section: Section; control: "custom" } ? Name : never;
}[DraftFieldName];

// Object.keys returns strings; the object has exactly these keys.
const names = Object.keys(linkFields) as LinkFieldName[];

/** The names of a draft's fields, in the order of the table. */
// The cast is safe: the filter has the conditions of DraftFieldName.
export const draftFields = names.filter((name) => {
  const { kind, section } = linkFields[name];
  return section !== "none" && kind !== "utm";
}) as DraftFieldName[];

/** Narrows the name of a field to those of some kinds. */
export function isOfKind<Of extends LinkField["kind"]>(
  name: DraftFieldName,
  ...kinds: readonly Of[]
): name is DraftFieldOf<Of> {
  const { kind } = linkFields[name];
  return kinds.some((one) => one === kind);
}

/** The edge of the day that an instant without a time means. */
export function edgeOf(name: DraftFieldOf<"instant">): DayEdge {
  return linkFields[name].edge;
}

/** The fields whose errors the editor shows beside their control. A flag cannot be refused. */
export const fieldsWithErrors: readonly string[] = names.filter((name) => {
  const { kind, section } = linkFields[name];
  return section !== "none" && kind !== "flag";
});

/** The section that shows a field of the API, such as `ref`; undefined for none. */
export function sectionOf(name: string): EditorSection | "none" | undefined {
  if (name === "ref") return "utm";
  return isLinkField(name) ? linkFields[name].section : undefined;
}

/** The label of a field in the history, where tags are named as in a response; undefined for an unknown field. */
export function fieldLabel(name: string, texts: Texts["links"]): string | undefined {
  const written = name === "tags" ? "tagIds" : name;
  return isLinkField(written) ? linkFields[written].label(texts) : undefined;
}

/** True for the fields that hold an instant. */
export function holdsInstant(name: string): boolean {
  return isLinkField(name) && linkFields[name].kind === "instant";
}

function isLinkField(name: string): name is LinkFieldName {
  return Object.hasOwn(linkFields, name);
}
