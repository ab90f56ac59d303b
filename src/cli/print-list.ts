import { z } from "zod";
import { pageRowsMax } from "../administration/page.ts";
import { formatTable } from "./format-table.ts";
import { runOperation } from "./run-operation.ts";

/**
 * How a list is read and shown. `isPaged` is true for operations that take `after` and `limit`. `whenEmpty` says why there is
 * no row.
 */
type List = { isPaged: boolean; headings: readonly string[]; whenEmpty: string; cells(row: unknown): string[] };

function listOf<Row>(
  schema: z.ZodType<Row>,
  { cells, ...list }: Omit<List, "cells"> & { cells(row: Row): string[] },
): List {
  return { ...list, cells: (row) => cells(schema.parse(row)) };
}

/** The date of an instant in ISO form. */
const day = (instant: string | null) => instant?.slice(0, 10) ?? "-";
/** An instant in ISO form, to the second. */
const second = (instant: string | null) => instant?.slice(0, 19) ?? "-";
/** An instant in ISO form, to the minute. */
const minute = (instant: string | null) => instant?.slice(0, 16) ?? "-";
const yesOrNo = (value: boolean) => (value ? "yes" : "no");

/** TABLE of the operations that list objects, by name, and the columns that a person sees. */
const lists = {
  "user list": listOf(
    z.object({
      ...{ id: z.string(), email: z.string().nullable(), name: z.string(), state: z.string() },
      ...{ isDisabled: z.boolean(), isAdministrator: z.boolean(), workspaces: z.number() },
      ...{ lastSeenAt: z.string().nullable(), createdAt: z.string() },
    }),
    {
      isPaged: true,
      whenEmpty: "No user was found.",
      headings: ["ID", "E-MAIL", "NAME", "STATE", "ADMINISTRATOR", "WORKSPACES", "LAST SEEN", "CREATED"],
      cells: ({ state, ...row }) => [
        ...[row.id, row.email ?? "-", row.name, state === "blocked" && row.isDisabled ? "blocked, disabled" : state],
        ...[yesOrNo(row.isAdministrator), String(row.workspaces), day(row.lastSeenAt), day(row.createdAt)],
      ],
    },
  ),
  "user sessions": listOf(
    z.object({ id: z.string(), label: z.string(), createdAt: z.string(), lastSeenAt: z.string() }),
    {
      isPaged: false,
      whenEmpty: "The user has no session.",
      headings: ["ID", "BROWSER", "LAST SEEN", "CREATED"],
      cells: (row) => [row.id, row.label, minute(row.lastSeenAt), minute(row.createdAt)],
    },
  ),
  "workspace list": listOf(
    z.object({
      ...{ id: z.number(), name: z.string(), owners: z.array(z.string()), members: z.number(), domains: z.number() },
      ...{ isBlocked: z.boolean(), createdAt: z.string() },
    }),
    {
      isPaged: true,
      whenEmpty: "No workspace was found.",
      headings: ["ID", "NAME", "OWNERS", "MEMBERS", "DOMAINS", "BLOCKED", "CREATED"],
      cells: (row) => [
        ...[String(row.id), row.name, row.owners.join(", ") || "-", String(row.members), String(row.domains)],
        ...[yesOrNo(row.isBlocked), day(row.createdAt)],
      ],
    },
  ),
  "domain list": listOf(
    z.object({
      ...{ id: z.string(), slug: z.string(), status: z.string(), workspaceId: z.number(), workspace: z.string() },
      ...{ isBlocked: z.boolean(), createdAt: z.string() },
    }),
    {
      isPaged: true,
      whenEmpty: "No domain was found.",
      headings: ["ID", "DOMAIN", "STATE", "WORKSPACE", "BLOCKED", "CREATED"],
      cells: (row) => [
        ...[row.id, row.slug, row.status, `${row.workspaceId} (${row.workspace})`],
        ...[yesOrNo(row.isBlocked), day(row.createdAt)],
      ],
    },
  ),
  "key list": listOf(
    z.object({
      ...{ id: z.string(), prefix: z.string(), name: z.string(), email: z.string().nullable() },
      ...{ workspaceId: z.number(), allWorkspaces: z.boolean(), scopes: z.array(z.string()).nullable() },
      ...{ expiresAt: z.string().nullable(), lastUsedAt: z.string().nullable(), createdAt: z.string() },
    }),
    {
      isPaged: true,
      whenEmpty: "No key was found.",
      headings: ["ID", "KEY", "NAME", "E-MAIL", "WORKSPACE", "SCOPES", "EXPIRES", "LAST USED", "CREATED"],
      cells: (row) => [
        ...[row.id, `${row.prefix}…`, row.name, row.email ?? "-"],
        ...[row.allWorkspaces ? "all" : String(row.workspaceId), row.scopes?.join(", ") ?? "all"],
        ...[day(row.expiresAt), day(row.lastUsedAt), day(row.createdAt)],
      ],
    },
  ),
  blocks: listOf(
    z.object({
      ...{ kind: z.string(), target: z.string(), name: z.string().nullable(), reason: z.string() },
      createdAt: z.string(),
    }),
    {
      isPaged: false,
      whenEmpty: "Nothing is blocked.",
      headings: ["KIND", "TARGET", "NAME", "REASON", "CREATED"],
      cells: (row) => [row.kind, row.target, row.name ?? "-", row.reason, day(row.createdAt)],
    },
  ),
  nodes: listOf(
    z.object({
      ...{ id: z.string(), host: z.string(), version: z.string(), state: z.string(), leads: z.boolean() },
      ...{ seenAt: z.string(), copyAt: z.string().nullable() },
      spools: z.array(z.object({ spoolId: z.string(), waitingBytes: z.number() })),
    }),
    {
      isPaged: false,
      whenEmpty: "No node uses the database. There are nodes only with PostgreSQL.",
      headings: ["ID", "HOST", "VERSION", "STATE", "LEADS", "LAST SEEN", "LINKS AS OF", "SPOOL", "WAITING BYTES"],
      cells: (row) => [
        ...[row.id, row.host, row.version, row.state, yesOrNo(row.leads), second(row.seenAt), second(row.copyAt)],
        row.spools.map(({ spoolId }) => spoolId).join(", ") || "-",
        row.spools.map(({ waitingBytes }) => String(waitingBytes)).join(", ") || "-",
      ],
    },
  ),
  "certificates list": listOf(
    z.object({
      ...{ name: z.string(), state: z.string(), notAfter: z.string().nullable(), problem: z.string().nullable() },
      nextAttemptAt: z.string().nullable(),
    }),
    {
      isPaged: false,
      whenEmpty: "There is no certificate. Waypost orders certificates when WAYPOST_HTTPS_PORT is set.",
      headings: ["NAME", "STATE", "EXPIRES", "NEXT ORDER", "LAST PROBLEM"],
      cells: (row) => [row.name, row.state, day(row.notAfter), minute(row.nextAttemptAt), row.problem ?? "-"],
    },
  ),
} as const satisfies Record<string, List>;

/** The name of an operation that lists objects. */
export type ListName = keyof typeof lists;

/** Rows of a paged list at most; the search narrows a longer one. */
const rowsMax = 100_000;

/** Prints all rows of a list, as a table or as one JSON array with more fields. An empty table says why on standard error. */
export async function printList(name: ListName, input: Record<string, unknown>, asJson: boolean): Promise<void> {
  const list = lists[name];
  const rows = list.isPaged ? await readPages(name, input) : Rows.parse(await runOperation(name, input));
  process.stdout.write(asJson ? `${JSON.stringify(rows)}\n` : formatTable(list.headings, rows.map(list.cells)));
  if (!asJson && rows.length === 0) process.stderr.write(`${list.whenEmpty}\n`);
}

const Rows = z.array(z.looseObject({}));
const Page = z.array(z.looseObject({ id: z.union([z.string(), z.number()]) }));

async function readPages(name: ListName, input: Record<string, unknown>): Promise<z.output<typeof Page>> {
  const rows: z.output<typeof Page> = [];
  while (rows.length < rowsMax) {
    const last = rows.at(-1);
    const after = last === undefined ? {} : { after: last.id };
    const page = Page.parse(await runOperation(name, { ...input, ...after, limit: pageRowsMax }));
    rows.push(...page);
    if (page.length < pageRowsMax) break;
  }
  return rows;
}
