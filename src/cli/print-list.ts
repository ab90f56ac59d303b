import { z } from "zod";
import { pageRowsMax } from "../administration/page.ts";
import { formatTable } from "./format-table.ts";
import { runOperation } from "./run-operation.ts";

const Person = z.looseObject({
  id: z.string(),
  email: z.string().nullable(),
  name: z.string(),
  state: z.string(),
  isAdministrator: z.boolean(),
  workspaces: z.number(),
  lastSeenAt: z.string().nullable(),
  createdAt: z.string(),
});
const Workspace = z.looseObject({
  id: z.number(),
  name: z.string(),
  owners: z.array(z.string()),
  members: z.number(),
  domains: z.number(),
  isBlocked: z.boolean(),
  createdAt: z.string(),
});
const Domain = z.looseObject({
  id: z.string(),
  slug: z.string(),
  status: z.string(),
  workspaceId: z.number(),
  workspace: z.string(),
  isBlocked: z.boolean(),
  createdAt: z.string(),
});
const Session = z.looseObject({ id: z.string(), label: z.string(), createdAt: z.string(), lastSeenAt: z.string() });

type List<Row> = { row: z.ZodType<Row>; headings: readonly string[]; cells(row: Row): string[] };

/** The date of an instant in ISO form. */
const day = (instant: string | null) => instant?.slice(0, 10) ?? "-";

const people: List<z.output<typeof Person>> = {
  row: Person,
  headings: ["ID", "E-MAIL", "NAME", "STATE", "ADMINISTRATOR", "WORKSPACES", "LAST SEEN", "CREATED"],
  cells: (row) => [
    ...[row.id, row.email ?? "-", row.name, row.state, row.isAdministrator ? "yes" : "no"],
    ...[String(row.workspaces), day(row.lastSeenAt), day(row.createdAt)],
  ],
};
const workspaces: List<z.output<typeof Workspace>> = {
  row: Workspace,
  headings: ["ID", "NAME", "OWNERS", "MEMBERS", "DOMAINS", "BLOCKED", "CREATED"],
  cells: (row) => [
    ...[String(row.id), row.name, row.owners.join(", ") || "-", String(row.members), String(row.domains)],
    ...[row.isBlocked ? "yes" : "no", day(row.createdAt)],
  ],
};
const domains: List<z.output<typeof Domain>> = {
  row: Domain,
  headings: ["ID", "DOMAIN", "STATE", "WORKSPACE", "BLOCKED", "CREATED"],
  cells: (row) => [
    ...[row.id, row.slug, row.status, `${row.workspaceId} (${row.workspace})`],
    ...[row.isBlocked ? "yes" : "no", day(row.createdAt)],
  ],
};
const sessions: List<z.output<typeof Session>> = {
  row: Session,
  headings: ["ID", "BROWSER", "LAST SEEN", "CREATED"],
  cells: (row) => [row.id, row.label, row.lastSeenAt.slice(0, 16), row.createdAt.slice(0, 16)],
};

/** Rows of a list at most; the search narrows a longer one. */
const rowsMax = 100_000;

/** Prints all rows of a list, as a table or as one JSON array. */
export async function printList(
  name: "user list" | "workspace list" | "domain list",
  input: { search?: string },
  asJson: boolean,
): Promise<void> {
  if (name === "user list") print(people, await readPages(name, input, people.row), asJson);
  else if (name === "workspace list") print(workspaces, await readPages(name, input, workspaces.row), asJson);
  else print(domains, await readPages(name, input, domains.row), asJson);
}

/** Prints a user's sessions, as a table or as one JSON array. */
export async function printSessions(user: string, asJson: boolean): Promise<void> {
  print(sessions, z.array(sessions.row).parse(await runOperation("user sessions", { user })), asJson);
}

async function readPages<Row extends { id: string | number }>(
  name: "user list" | "workspace list" | "domain list",
  input: { search?: string },
  row: z.ZodType<Row>,
): Promise<Row[]> {
  const rows: Row[] = [];
  while (rows.length < rowsMax) {
    const last = rows.at(-1);
    const after = last === undefined ? {} : { after: last.id };
    const page = z.array(row).parse(await runOperation(name, { ...input, ...after, limit: pageRowsMax }));
    rows.push(...page);
    if (page.length < pageRowsMax) break;
  }
  return rows;
}

function print<Row>({ headings, cells }: List<Row>, rows: readonly Row[], asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(rows)}\n` : formatTable(headings, rows.map(cells)));
}
