import { z } from "@hono/zod-openapi";
import type { ResolvedSelection } from "../analytics/click-selection.ts";
import { checkExport, exportClicks } from "../analytics/export-clicks.ts";
import { intervalDefault, intervals } from "../analytics/interval.ts";
import { needsLength } from "../base/http10.ts";
import { type ExportFormat, exportFormats } from "../clicks/export.ts";
import { clickQuery, intervalDescription, oneOf, reportDeps, reportUses } from "./analytics-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { Reply } from "./http/reply.ts";

const endpoint = endpointUsing({ tag: "Analytics", uses: ["exports", ...reportUses] });

/** TABLE of the content types of exports. */
const contentTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/jsonl",
  parquet: "application/vnd.apache.parquet",
};

/** The query of an export. */
export const exportQuery = z.object({
  format: z
    .enum(exportFormats, oneOf(exportFormats))
    .default("csv")
    .openapi({ description: "`jsonl`: one object per line. `parquet`: typed columns, a tenth of the size." }),
  event: z.literal("clicks", oneOf(["clicks"])).default("clicks"),
  interval: z.enum(intervals, oneOf(intervals)).default(intervalDefault).openapi({ description: intervalDescription }),
  ...clickQuery,
});

/** The operation that exports clicks. */
export const eventExportEndpoints = [
  endpoint({
    method: "get",
    path: "/events/export",
    operationId: "exportEvents",
    summary: "Export individual clicks",
    description:
      "Streams all matching clicks in no particular order. `X-Clicks` is their number. If an export fails, the connection breaks, so that a partial file never looks complete.",
    scope: "analytics.read",
    querySchema: exportQuery,
    isStreamed: true,
    countsClicks: true,
    responseSchema: z.string().openapi({ format: "binary" }),
    contentTypes: Object.values(contentTypes).map((type) => type.replace(/;.*$/, "")),
    async handle({ deps, actor, query, request, holdOpen }) {
      const { format, event: _, ...question } = query;
      const type = contentTypes[format];
      if (request.method === "HEAD") {
        const range = await checkExport(reportDeps(deps), actor, question);
        return new Reply({ kind: "stream", stream: null, type }, exportHeaders(format, range));
      }
      // The first byte may take a while, and the client may read slowly.
      holdOpen();
      const requested = { ...question, format, needsLength: needsLength(request.headers) };
      const { clicks, length, stream, range } = await exportClicks(
        { ...reportDeps(deps), exports: deps.exports },
        actor,
        requested,
        request.signal,
      );
      const headers = { ...exportHeaders(format, range), "X-Clicks": String(clicks) };
      return new Reply({ kind: "stream", stream, type, length }, headers);
    },
  }),
];

/** Returns the name of an export's file, with the first and the last day in it. */
function exportFileName(format: ExportFormat, { start, to }: ResolvedSelection["range"]): string {
  const last = new Date(to - 1).toISOString();
  return `clicks-${start.slice(0, 10)}-to-${last.slice(0, 10)}.${format}`;
}

function exportHeaders(format: ExportFormat, range: ResolvedSelection["range"]): Record<string, string> {
  return {
    "Content-Disposition": `attachment; filename="${exportFileName(format, range)}"`,
    "Cache-Control": "private, no-store",
  };
}
