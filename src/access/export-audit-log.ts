import { isoTime } from "../base/time.ts";
import type { Actor } from "./actor.ts";
import { type AuditEntry, type AuditFilter, readAuditEntries } from "./audit-log.ts";

/** TABLE of the formats of an exported audit log. */
export const auditExportFormats = ["csv", "jsonl"] as const;
type AuditExportFormat = (typeof auditExportFormats)[number];

/** TABLE of the columns of the CSV file. */
const columns: Record<string, (entry: AuditEntry) => string> = {
  id: ({ id }) => id,
  at: ({ at }) => isoTime(at),
  type: ({ type }) => type,
  objectId: ({ object }) => object.id,
  objectName: ({ object }) => object.name ?? "",
  userId: ({ user }) => user?.id ?? "",
  userName: ({ user }) => user?.name ?? "",
  userEmail: ({ user }) => user?.email ?? "",
  apiKeyId: ({ apiKey }) => apiKey?.id ?? "",
  apiKeyName: ({ apiKey }) => apiKey?.name ?? "",
  before: ({ before }) => (before === null ? "" : JSON.stringify(before)),
  after: ({ after }) => (after === null ? "" : JSON.stringify(after)),
};

/**
 * Exports the matching entries of the audit log, newest first, as a stream that reads them while the client takes them.
 * Guarantee: no cell of a CSV file is read as a formula.
 * Throws "forbidden" unless the actor is an owner.
 */
export async function exportAuditLog(
  deps: Parameters<typeof readAuditEntries>[0],
  actor: Actor,
  { format, ...filter }: AuditFilter & { format: AuditExportFormat },
): Promise<ReadableStream<Uint8Array>> {
  const entries = readAuditEntries(deps, actor, filter);
  // Read before the response begins, so that a refusal is a problem and no broken stream.
  const first = await entries.next();
  const encoder = new TextEncoder();
  let next: typeof first | undefined = first;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(`${Object.keys(columns).join(",")}\r\n`));
    },
    async pull(controller) {
      const step = next ?? (await entries.next());
      next = undefined;
      if (step.done === true) return controller.close();
      const text = step.value.map(format === "csv" ? csvLine : jsonLine).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
      else controller.close();
    },
    async cancel() {
      await entries.return(undefined);
    },
  });
}

function jsonLine({ at, ...entry }: AuditEntry): string {
  return `${JSON.stringify({ ...entry, at: isoTime(at) })}\n`;
}

function csvLine(entry: AuditEntry): string {
  return `${Object.values(columns)
    .map((column) => csvCell(column(entry)))
    .join(",")}\r\n`;
}

/** Also the apostrophe that prevents a formula, and the full-width forms that some spreadsheets accept. */
const formulaStart = /^[=+\-@'\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
