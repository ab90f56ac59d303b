import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import {
  historyPageMax,
  historyPageSizeMax,
  type LinkChange,
  linkChangeTypes,
  listLinkChanges,
  type RecordedFields,
  revertLinkChange,
} from "../links/link-history.ts";
import { callsOfCharacters } from "./calls-of-page.ts";
import { queryInteger, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";
import { linkDeps } from "./link-dependencies.ts";
import { linkExample } from "./link-example.ts";
import { fieldAsJson } from "./link-field-schemas.ts";
import { linkResponse } from "./link-response.ts";
import { Link, linkPath } from "./link-schemas.ts";

const endpoint = endpointUsing({ tag: "Links", uses: ["config", "database", "db", "linkQueries", "now", "redirects"] });

/** PostgreSQL's largest integer; SQLite's numbers stay far below it too. */
const changeIdMax = 2_147_483_647;

const recordedFields = z.record(z.string(), z.unknown()).nullable();

/** A change of a link as the API shows it. */
const Change = z
  .object({
    id: z.string().openapi({ example: "42" }),
    type: z.enum(linkChangeTypes),
    at: timestamp,
    user: z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() }).nullable().openapi({
      description:
        "The user who made the change; null for the service itself. Name and e-mail are null for a deleted user.",
    }),
    before: recordedFields.openapi({ description: "The changed fields before the change; null for a creation." }),
    after: recordedFields.openapi({ description: "The same fields after the change; null for a deletion." }),
    reverts: z.string().nullable().openapi({
      description: "The id of the earlier change that this one reverts or undoes; null for any other change.",
    }),
  })
  .openapi("LinkChange");

const changeExample: z.input<typeof Change> = {
  id: "42",
  type: "link.updated",
  at: "2026-11-20T09:30:00.000Z",
  user: { id: "user_01KAFXTZ5B8C6D3E2F1G0H9J7K", name: "Ada", email: "ada@example.com" },
  before: { url: "https://example.com/sale" },
  after: { url: "https://example.com/autumn" },
  reverts: null,
};

/** The operations on the history of links. */
export const linkHistoryEndpoints = [
  endpoint({
    method: "get",
    path: "/links/{linkId}/history",
    operationId: "listLinkHistory",
    summary: "List the changes of a link",
    description:
      "Newest first, with the user and the time of each change. The history of a deleted link is available by its id, not by its externalId. Each 256 KiB of texts in a page counts as one request.",
    scope: "links.read",
    pathSchema: linkPath,
    querySchema: z.object({
      page: queryInteger(1, historyPageMax).default(1).openapi({ default: 1 }),
      pageSize: queryInteger(1, historyPageSizeMax)
        .default(historyPageSizeMax)
        .openapi({ default: historyPageSizeMax }),
    }),
    responseSchema: z.array(Change),
    responseExample: [changeExample],
    isPaged: true,
    async handle(call) {
      const { deps, actor, path, query, spend } = call;
      // One page of a workspace at a time: a page may have tens of megabytes.
      const changes = await deps.linkQueries.run(actor.workspaceId, (db) =>
        listLinkChanges({ db }, actor, path.linkId, query, (bytes) => spend(callsOfCharacters(bytes) - 1)),
      );
      return pagedReply(call, changes.map(serializeChange), { requested: query, pageMax: historyPageMax });
    },
  }),
  endpoint({
    method: "post",
    path: "/links/{linkId}/history/{changeId}/revert",
    operationId: "revertLinkChange",
    summary: "Revert a change of a link",
    description:
      "Restores the values that the fields had before this change, as an update that the history records. " +
      "Overwrites later changes of the same fields. Cannot revert a creation, a deletion, a changed or cleared password, " +
      "or an image of more than 2,048 characters, which the history does not keep.",
    scope: "links.write",
    pathSchema: linkPath.extend({
      // A value that is not a number names no change.
      changeId: z
        .string()
        .transform((text) => (/^\d{1,10}$/.test(text) && Number(text) <= changeIdMax ? Number(text) : 0))
        .openapi({ type: "string", example: "42" }),
    }),
    responseSchema: Link,
    responseExample: linkExample,
    problems: ["conflict"],
    handle: async (call) => await linkResponse(call, await revertLinkChange(linkDeps(call), call.actor, call.path)),
  }),
];

function serializeChange({ id, type, at, user, before, after, reverts }: LinkChange): z.input<typeof Change> {
  return {
    id: String(id),
    type,
    at: isoTime(at),
    user,
    before: serializeFields(before),
    after: serializeFields(after),
    reverts: reverts === null ? null : String(reverts),
  };
}

/** Returns the fields as a link shows them, without fields that no response has. */
function serializeFields(recorded: RecordedFields | null): Record<string, unknown> | null {
  if (recorded === null) return null;
  const { domainId, foldedKey, isOnInstanceDomain, workspaceId, ...fields } = recorded;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fieldAsJson(name, value)]));
}
