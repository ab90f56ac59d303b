import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { createLink } from "../links/create-link.ts";
import { deleteLink } from "../links/delete-link.ts";
import { findLink, findNamedLink } from "../links/find-links.ts";
import { isKeyTaken } from "../links/find-taken-key.ts";
import { countLinkGroups, countLinks, listLinks, pageMax } from "../links/list-links.ts";
import { goneWithinMs, purgeClicks } from "../links/purge-clicks.ts";
import { updateLink } from "../links/update-link.ts";
import { findUpserted, putLink, upsertLink } from "../links/upsert-link.ts";
import { callsOfPage } from "./calls-of-page.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { bodyLimits } from "./http/json-body.ts";
import { endsOf, pagedReply } from "./http/paging.ts";
import { linkDeps } from "./link-dependencies.ts";
import { linkExample } from "./link-example.ts";
import { linkResponse, linkResponses } from "./link-response.ts";
import {
  keyQuery,
  Link,
  LinkChangesBody,
  LinkGroup,
  linkCountQuery,
  linkListQuery,
  linkNameQuery,
  linkPath,
  NewLinkBody,
} from "./link-schemas.ts";

const endpoint = endpointUsing({
  tag: "Links",
  uses: ["config", "database", "db", "linkQueries", "now", "purges", "redirects"],
});

/** PATCH and PUT share one operation. */
const update = {
  path: "/links/{linkId}",
  description: "Omitted fields stay unchanged; null clears.",
  scope: "links.write",
  pathSchema: linkPath,
  bodySchema: LinkChangesBody,
  bodyLimit: bodyLimits.link,
  bodyExample: { url: "https://example.com/autumn", utm_campaign: "autumn" },
  responseSchema: Link,
  responseExample: linkExample,
  problems: ["conflict"],
} as const;

/** The operations on links. */
export const linkEndpoints = [
  endpoint({
    method: "post",
    path: "/links",
    operationId: "createLink",
    summary: "Create a link",
    scope: "links.write",
    bodySchema: NewLinkBody,
    bodyLimit: bodyLimits.link,
    bodyExample: { url: "https://example.com/sale", key: "spring", utm_source: "mail" },
    responseSchema: Link,
    responseExample: linkExample,
    problems: ["conflict"],
    handle: async (call) => await linkResponse(call, await createLink(linkDeps(call), call.actor, call.body)),
  }),
  endpoint({
    method: "get",
    path: "/links",
    operationId: "listLinks",
    summary: "List links",
    description:
      "Lists the matching links of the workspace, newest first. Each 256 KiB of texts in a page counts as one request.",
    scope: "links.read",
    querySchema: linkListQuery,
    responseSchema: z.array(Link),
    responseExample: [linkExample],
    isPaged: true,
    async handle(call) {
      const { deps, actor, query, spend } = call;
      const links = await deps.linkQueries.run(actor.workspaceId, (db) => listLinks({ db }, actor, query, query));
      spend(callsOfPage(links) - 1);
      const isNewestFirst = query.sortBy === "createdAt" && query.sortOrder !== "asc";
      const ends = isNewestFirst ? endsOf(links) : undefined;
      const shown = await linkResponses(call, links);
      return pagedReply(call, shown, { requested: query, pageMax, ends });
    },
  }),
  endpoint({
    method: "get",
    path: "/links/count",
    operationId: "countLinks",
    summary: "Count links",
    description: "Returns a number; with groupBy, a list of values and their numbers, largest first, at most 1,000.",
    scope: "links.read",
    querySchema: linkCountQuery,
    responseSchema: z.union([z.int(), z.array(LinkGroup)]),
    responseExample: 42,
    async handle({ deps, actor, query }) {
      const { groupBy } = query;
      const inTurn = <Result>(count: (db: Db) => Promise<Result>) => deps.linkQueries.run(actor.workspaceId, count);
      if (groupBy === undefined) return await inTurn((db) => countLinks({ db }, actor, query));
      const groups = await inTurn((db) => countLinkGroups({ db }, actor, query, groupBy));
      return groups.map(({ value, count }) => ({ [groupBy]: value, _count: count }));
    },
  }),
  endpoint({
    method: "get",
    path: "/links/exists",
    operationId: "checkKey",
    summary: "Check whether a key is taken",
    description:
      "exists is true if no new link can have the key: a link has it, or another workspace deleted its link with it less than 24 hours ago. An impossible or reserved key is refused as when a link is created.",
    scope: "links.read",
    querySchema: keyQuery,
    responseSchema: z.object({ exists: z.boolean() }),
    responseExample: { exists: true },
    async handle({ deps, actor, query }) {
      return { exists: await isKeyTaken(deps, actor, query) };
    },
  }),
  endpoint({
    method: "get",
    path: "/links/info",
    operationId: "findLink",
    summary: "Retrieve a link by id, externalId, or domain and key",
    description:
      "The first given of linkId, externalId and domain decides. A domain without a key names its root link.",
    scope: "links.read",
    querySchema: linkNameQuery,
    responseSchema: Link,
    responseExample: linkExample,
    handle: async (call) => await linkResponse(call, await findNamedLink(call.deps, call.actor, call.query)),
  }),
  endpoint({
    method: "put",
    path: "/links/upsert",
    operationId: "upsertLink",
    summary: "Update the link with this externalId or url, or create it",
    description:
      "An externalId alone decides, regardless of the url. Without one, the call updates the oldest link whose url equals the sent url, or the sent url with its utm fields added; it ignores root links. Repeating the same body changes nothing.",
    scope: "links.write",
    bodySchema: NewLinkBody,
    bodyLimit: bodyLimits.link,
    bodyExample: { url: "https://example.com/sale", utm_source: "mail" },
    responseSchema: Link,
    responseExample: linkExample,
    problems: ["conflict"],
    changedObjects: {
      async read({ deps, actor, body }) {
        // Validation refuses an invalid body later, with a message.
        const { data } = NewLinkBody.safeParse(body);
        const id = data === undefined ? undefined : await findUpserted(deps, actor, data);
        if (id === undefined) return [];
        return [await linkResponse({ deps, warn: undefined }, await findLink(deps, actor, id))];
      },
    },
    handle: async (call) => await linkResponse(call, await upsertLink(linkDeps(call), call.actor, call.body)),
  }),
  endpoint({
    method: "get",
    path: "/links/{linkId}",
    operationId: "getLink",
    summary: "Retrieve a link",
    scope: "links.read",
    pathSchema: linkPath,
    responseSchema: Link,
    responseExample: linkExample,
    handle: async (call) => await linkResponse(call, await findLink(call.deps, call.actor, call.path.linkId)),
  }),
  endpoint({
    ...update,
    method: "patch",
    operationId: "updateLink",
    summary: "Update a link",
    handle: async (call) =>
      await linkResponse(call, await updateLink(linkDeps(call), call.actor, call.path.linkId, call.body)),
  }),
  endpoint({
    ...update,
    method: "put",
    operationId: "putLink",
    summary: "Update a link, or create it by externalId",
    description:
      "Like PATCH, but if `linkId` is `ext_` and an unused externalId, creates the link, which requires `url`.",
    createsMissing: true,
    handle: async (call) =>
      await linkResponse(call, await putLink(linkDeps(call), call.actor, call.path.linkId, call.body)),
  }),
  endpoint({
    method: "delete",
    path: "/links/{linkId}",
    operationId: "deleteLink",
    summary: "Delete a link permanently",
    description:
      "The link stops redirecting at once. Its clicks remain in the workspace's totals. A root link cannot be deleted.",
    scope: "links.write",
    pathSchema: linkPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB" },
    handle: ({ deps, actor, path }) => deleteLink(deps, actor, path.linkId),
  }),
  endpoint({
    method: "delete",
    path: "/links/{linkId}/clicks",
    operationId: "purgeLinkClicks",
    summary: "Remove a link's clicks permanently",
    description:
      "Removes all clicks up to now, including those that are still being stored; later clicks count as usual. The link's clicks are 0 at once, reports follow within seconds. " +
      "Also works for a deleted link, by its id. The used part of maxClicks stays, so that a used-up link does not reopen. Can be repeated.",
    scope: "links.write",
    pathSchema: linkPath,
    responseSchema: z.object({
      id: z.string(),
      purgedUntil: timestamp.openapi({ description: "Clicks up to this moment are removed." }),
      goneFromDiskBy: timestamp.openapi({
        description:
          "When no file in the data folder contains them any more, provided the click store works and no move of clicks to ClickHouse runs.",
      }),
    }),
    responseExample: {
      id: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
      purgedUntil: "2026-11-20T09:30:00.000Z",
      goneFromDiskBy: "2026-11-20T10:45:00.000Z",
    },
    async handle({ deps, actor, path }) {
      const { id, before } = await purgeClicks(deps, actor, path.linkId);
      deps.purges.current = [...deps.purges.current, { linkId: id, before }];
      const purgedUntil = before - 1;
      return { id, purgedUntil: isoTime(purgedUntil), goneFromDiskBy: isoTime(purgedUntil + goneWithinMs) };
    },
  }),
];
