import type { Flag } from "../database/schema.ts";
import {
  type FieldInputs,
  type FieldValues,
  fieldsOfKind,
  fieldValues,
  type LinkColumns,
  unsetColumns,
} from "./fields.ts";
import { foldKey } from "./key.ts";
import { passwordMask } from "./link-password.ts";
import type { Tag } from "./tags.ts";

/** A link as most code sees it: structured values are parsed, and the password is only passwordMask. */
export type Link = FieldValues & {
  id: string;
  workspaceId: number;
  userId: string | null;
  domainId: string;
  /** The domain's slug. */
  domain: string;
  isOnInstanceDomain: boolean;
  key: string;
  foldedKey: string;
  /** "" for a root link without a destination. */
  url: string;
  folderId: string | null;
  /** In the order they were assigned. */
  tags: Tag[];
  password: typeof passwordMask | null;
  /** Instants are milliseconds since the epoch. */
  lastClicked: number | null;
  createdAt: number;
  updatedAt: number;
  clicks: number;
};

/** The fields of a link that no caller can write under their own name. */
export type ReadOnlyField =
  | ("id" | "workspaceId" | "userId" | "domainId" | "isOnInstanceDomain" | "foldedKey")
  | ("clicks" | "lastClicked" | "createdAt" | "updatedAt");

/** The fields of a link that hold instants. */
export const instantFields = [
  ...fieldsOfKind("instant"),
  ...(["lastClicked", "createdAt", "updatedAt"] as const),
] satisfies (keyof Link)[];

type Text = string | null | undefined;

/** The fields a caller can write on any link. Undefined leaves a field alone, null clears it. */
export type LinkFields = FieldInputs & {
  domain?: string | undefined;
  key?: string | undefined;
  password?: Text;
  folderId?: Text;
  tagId?: Text;
  tagIds?: string[] | null | undefined;
  tagNames?: string[] | null | undefined;
  /** Written into the URL only. */
  ref?: Text;
  /** true sets disabledAt to now unless it has passed; false clears it. */
  disabled?: boolean | undefined;
};

/** What a caller writes to create a link. */
export type NewLink = LinkFields & {
  url: string;
  keyLength?: number | undefined;
  prefix?: string | undefined;
};

/** What a caller writes to change a link. Undefined leaves a field alone, null clears it. */
export type LinkChanges = LinkFields & { url?: string | undefined };

/** A link row joined with the columns of its domain. */
export type LinkWithDomain = LinkColumns & { domain: string; isInstance: Flag; caseSensitive: Flag };
/** A link row joined with its domain and its tags: all that is stored of a link. */
export type LinkRow = LinkWithDomain & { tags: Tag[] };

/** The columns that say under which address visitors find a link. */
export type KeyColumns = Pick<LinkRow, "domainId" | "domain" | "isInstance" | "caseSensitive" | "key" | "foldedKey">;

/** The columns of a key on a domain. */
export function keyColumns(
  { id, slug, isInstance, caseSensitive }: { id: string; slug: string; isInstance: Flag; caseSensitive: Flag },
  key: string,
): KeyColumns {
  return { domainId: id, domain: slug, isInstance, caseSensitive, key, foldedKey: foldKey(key, caseSensitive === 1) };
}

/** The link that a row holds. */
export function toLink(row: LinkRow): Link {
  const { isInstance, caseSensitive: _, urlHash: __, framing: ___, passwordHash, ...columns } = row;
  return {
    ...columns,
    ...fieldValues(row),
    isOnInstanceDomain: isInstance === 1,
    password: passwordHash === null ? null : passwordMask,
  };
}

/** What identifies a link, and its destination. */
type LinkSummary = Pick<Link, "id" | "workspaceId" | "domainId" | "domain" | "key" | "url" | "createdAt">;

/** A link with these values and no others. */
export function linkFromSummary(summary: LinkSummary): Link {
  const { key: foldedKey, createdAt: updatedAt } = summary;
  const unset = { framing: null, userId: null, folderId: null, tags: [], passwordHash: null, urlHash: null };
  const zero = { clicks: 0, lastClicked: null, isInstance: 0, caseSensitive: 0 } as const;
  return toLink({ ...unsetColumns, ...unset, ...zero, ...summary, foldedKey, updatedAt });
}
