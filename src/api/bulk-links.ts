import { z } from "@hono/zod-openapi";
import { invalid, Problem } from "../base/problem.ts";
import { bulkLinksMax, createLinks } from "../links/create-links.ts";
import { deletedLinksMax, deleteLinks } from "../links/delete-links.ts";
import { findNamedLinks } from "../links/find-links.ts";
import { passwordMask } from "../links/link-password.ts";
import { undoLinkChanges } from "../links/undo-changes.ts";
import { changedBytesMax, updateLinks } from "../links/update-links.ts";
import { instant, queryList } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { bodyLimits } from "./http/json-body.ts";
import { linkDeps } from "./link-dependencies.ts";
import { linkExample } from "./link-example.ts";
import { fieldAsJson } from "./link-field-schemas.ts";
import { linkResponses } from "./link-response.ts";
import { Link, NewLinkBody, SharedChangesBody } from "./link-schemas.ts";

const endpoint = endpointUsing({ tag: "Links", uses: ["config", "db", "now", "redirects"] });

const identifierCharactersMax = 300;

/** The result for a refused link of a batch. */
const LinkError = z
  .object({
    link: z.looseObject({}).openapi({ description: "The link as it was sent, or its id." }),
    error: z.string(),
    code: z.string(),
  })
  .openapi("LinkError");

const creationExample = [{ url: "https://example.com/sale", key: "spring" }, { url: "https://example.com/shop" }];
const errorExample = { error: "Link not found", code: "not_found", link: { id: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AC" } };
const ids = (description: string) =>
  z.array(z.string().max(identifierCharactersMax)).max(bulkLinksMax).optional().openapi({ description });

const NamedLinks = z.object({
  linkIds: ids("Ids, or `ext_` and externalIds. If present, externalIds is ignored."),
  externalIds: ids("Your own ids, with or without `ext_`."),
});

const UndoneChange = z.object({
  linkId: z.string().max(identifierCharactersMax),
  updatedAt: instant().openapi({ description: "The link's `updatedAt` after the change to undo." }),
});

/** The operations on many links at once. */
export const bulkLinkEndpoints = [
  endpoint({
    method: "post",
    path: "/links/bulk",
    operationId: "createLinks",
    summary: `Create up to ${bulkLinksMax} links`,
    description:
      "Each link succeeds or fails independently: the response lists the created links first, in the order sent, and then the refused ones. A body that violates the schema or repeats a domain and key is refused as a whole.",
    scope: "links.write",
    bodySchema: z
      .array(NewLinkBody)
      .min(1, "must have at least one link")
      .max(bulkLinksMax, `must have at most ${bulkLinksMax} links`),
    bodyLimit: bodyLimits.bulk,
    bodyExample: creationExample,
    responseSchema: z.array(z.union([Link, LinkError])),
    responseExample: [
      linkExample,
      { error: 'key: "spring" is taken on this domain.', code: "conflict", link: creationExample[0] },
    ],
    async handle(call) {
      const { actor, body, spend } = call;
      // A password hash costs as much as hundreds of calls; the call itself has paid for the first one.
      spend(new Set(body.flatMap(({ password }) => password || [])).size - 1);
      const { links, refusals } = await createLinks(linkDeps(call), actor, body);
      return [
        ...(await linkResponses(call, links)),
        ...refusals.map(({ input, problem }) => ({
          link: asSent(input),
          error: problem.message,
          code: problem.code,
        })),
      ];
    },
  }),
  endpoint({
    method: "patch",
    path: "/links/bulk",
    operationId: "updateLinks",
    summary: `Update up to ${bulkLinksMax} links in the same way`,
    description:
      "linkIds or, without them, externalIds select the links. The response lists the changed links first, then one error for each unknown name. Any other problem refuses the whole call.",
    scope: "links.write",
    bodySchema: NamedLinks.extend({ data: SharedChangesBody }),
    bodyLimit: bodyLimits.bulk,
    bodyExample: { linkIds: ["link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB"], data: { archived: true } },
    responseSchema: z.array(z.union([Link, LinkError])),
    responseExample: [linkExample, errorExample],
    changedObjects: {
      field: "data",
      async read({ deps, actor, body }) {
        const { data } = NamedLinks.safeParse(body);
        const links = data === undefined ? [] : await findNamedLinks(deps, actor, namesOf(data));
        return await linkResponses({ deps, warn: undefined }, links);
      },
    },
    async handle(call) {
      const { data } = call.body;
      const names = namesOf(call.body);
      if (names.length === 0) throw invalid("linkIds", "must have at least one link, here or in externalIds.");
      requireAffordable(names, data);
      const { links, missing } = await updateLinks(linkDeps(call), call.actor, names, data);
      return [...(await linkResponses(call, links)), ...missing.map((id) => ({ ...errorExample, link: { id } }))];
    },
  }),
  endpoint({
    method: "post",
    path: "/links/undo",
    operationId: "undoLinkChanges",
    summary: `Undo your last change of up to ${bulkLinksMax} links`,
    description:
      "Restores the values that the fields of each link had before your change, if the link has not changed since. " +
      "`linkId` and `updatedAt` name the change, as the response to it returned them. " +
      "Each link succeeds or fails independently: the response lists the restored links first, and then an error for " +
      "each of the others: `precondition_failed` for a link that has changed since, `not_found` for a deleted one. " +
      "Cannot undo what a revert cannot restore. The history records an undo like any other change.",
    scope: "links.write",
    bodySchema: z.object({
      changes: z
        .array(UndoneChange)
        .min(1, "must have at least one link")
        .max(bulkLinksMax, `must have at most ${bulkLinksMax} links`),
    }),
    bodyExample: { changes: [{ linkId: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", updatedAt: "2026-11-20T09:30:00.000Z" }] },
    responseSchema: z.array(z.union([Link, LinkError])),
    responseExample: [
      linkExample,
      {
        error: "The link has changed since; get it again.",
        code: "precondition_failed",
        link: { id: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AC" },
      },
    ],
    problems: ["conflict"],
    async handle(call) {
      const { links, refusals } = await undoLinkChanges(linkDeps(call), call.actor, call.body.changes);
      return [
        ...(await linkResponses(call, links)),
        ...refusals.map(({ linkId, problem: { message, code } }) => ({ link: { id: linkId }, error: message, code })),
      ];
    },
  }),
  endpoint({
    method: "delete",
    path: "/links/bulk",
    operationId: "deleteLinks",
    summary: "Delete many links permanently",
    description: "Unknown names and root links are skipped.",
    scope: "links.write",
    querySchema: z.object({
      linkIds: queryList(deletedLinksMax)
        .optional()
        .openapi({ description: "Ids, or `ext_` and externalIds. At least one." }),
    }),
    responseSchema: z.object({ deletedCount: z.int() }),
    responseExample: { deletedCount: 2 },
    async handle({ deps, actor, query: { linkIds = [] } }) {
      if (linkIds.length === 0) throw new Problem("bad_request", "linkIds: must have at least one link.");
      return { deletedCount: await deleteLinks(deps, actor, linkIds) };
    },
  }),
];

/** Bounds the written bytes, since each link gets all changes. */
function requireAffordable(names: readonly string[], data: object): void {
  const characters = JSON.stringify(data).length;
  const linksMax = Math.floor(changedBytesMax / characters);
  if (names.length <= linksMax) return;
  throw new Problem("payload_too_large", `Changes of this size can be made to at most ${linksMax} links at once.`);
}

function namesOf({ linkIds = [], externalIds = [] }: z.output<typeof NamedLinks>): string[] {
  return linkIds.length > 0 ? linkIds : externalIds.map(asExternal);
}

function asExternal(id: string): string {
  return id.startsWith("ext_") ? id : `ext_${id}`;
}

/** Returns a refused link as it was sent, so that the client can send it again; without its password. */
function asSent({ password, ...input }: z.output<typeof NewLinkBody>): Record<string, unknown> {
  const fields = Object.entries(input).map(([name, value]) => [name, fieldAsJson(name, value)]);
  return { ...Object.fromEntries(fields), ...(password ? { password: passwordMask } : {}) };
}
