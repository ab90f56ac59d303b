import { z } from "@hono/zod-openapi";
import { tagColors } from "../database/schema.ts";
import {
  countTags,
  createTag,
  deleteTag,
  getTag,
  listTags,
  tagNameCharactersMax,
  tagSorts,
  tagsPerLinkMax,
  updateTag,
} from "../links/tags.ts";
import { name, nameSearch, pageMax, pageQuery, queryList } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";

const endpoint = endpointUsing({ tag: "Tags", uses: ["config", "db", "now"] });

const pageSizeMax = 100;
const color = z.enum(tagColors, `must be one of ${tagColors.join(", ")}`);

/** A tag as the API shows it, on its own and in links. */
export const Tag = z
  .object({ id: z.string(), name: z.string(), color })
  .openapi("Tag", { example: { id: "tag_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", name: "Newsletter", color: "blue" } });

const example: z.input<typeof Tag> = { id: "tag_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", name: "Newsletter", color: "blue" };

const tagName = name(tagNameCharactersMax).openapi({ description: "Unique in the workspace, ignoring case." });
const tagFields = {
  name: tagName,
  color: color.optional().openapi({ description: "If absent, random at creation and unchanged in an update." }),
  tag: z.string().optional().openapi({ deprecated: true, description: "The same as name; takes precedence." }),
};
const TagBody = z
  .preprocess(asNamed, z.object(tagFields))
  // Not anyOf, which client generators turn into an untyped body.
  .openapi("TagFields", { required: [], description: "Requires name, or its synonym tag." });
const TagChange = z.preprocess(asNamed, z.object({ ...tagFields, name: tagName.optional() })).openapi("TagChange");

const search = nameSearch(tagNameCharactersMax);
const ids = queryList(tagsPerLinkMax).optional();
const tagPath = z.object({ id: z.string().openapi({ example: example.id }) });

/** PATCH and PUT share one operation. */
const update = {
  path: "/tags/{id}",
  description: "Omitted fields stay unchanged.",
  scope: "tags.write",
  pathSchema: tagPath,
  bodySchema: TagChange,
  bodyExample: { name: "Newsletter", color: "blue" },
  responseSchema: Tag,
  responseExample: example,
  problems: ["conflict"],
} as const;

/** The operations on tags. */
export const tagEndpoints = [
  endpoint({
    method: "post",
    path: "/tags",
    operationId: "createTag",
    summary: "Create a tag",
    scope: "tags.write",
    bodySchema: TagBody,
    bodyExample: { name: "Newsletter", color: "blue" },
    status: 201,
    responseSchema: Tag,
    responseExample: example,
    problems: ["conflict"],
    handle: ({ deps, actor, body }) => createTag(deps, actor, body),
  }),
  endpoint({
    method: "get",
    path: "/tags",
    operationId: "listTags",
    summary: "List tags",
    scope: "tags.read",
    querySchema: z.object({
      search,
      ids,
      sortBy: z.enum(tagSorts).default("name"),
      sortOrder: z.enum(["asc", "desc"]).default("asc"),
      ...pageQuery(pageSizeMax),
    }),
    responseSchema: z.array(Tag),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const { page = 1, pageSize } = call.query;
      const tags = await listTags(call.deps, call.actor, call.query, { ...call.query, page });
      return pagedReply(call, tags, { requested: { page, pageSize }, pageMax });
    },
  }),
  endpoint({
    method: "get",
    path: "/tags/count",
    operationId: "countTags",
    summary: "Count tags",
    scope: "tags.read",
    querySchema: z.object({ search, ids }),
    responseSchema: z.int(),
    responseExample: 7,
    handle: ({ deps, actor, query }) => countTags(deps, actor, query),
  }),
  endpoint({
    method: "get",
    path: "/tags/{id}",
    operationId: "getTag",
    summary: "Retrieve a tag",
    scope: "tags.read",
    pathSchema: tagPath,
    responseSchema: Tag,
    responseExample: example,
    handle: ({ deps, actor, path }) => getTag(deps, actor, path.id),
  }),
  endpoint({
    ...update,
    method: "patch",
    operationId: "updateTag",
    summary: "Update a tag",
    handle: ({ deps, actor, path, body }) => updateTag(deps, actor, path.id, body),
  }),
  endpoint({
    ...update,
    method: "put",
    operationId: "putTag",
    summary: "Update a tag, by PUT",
    handle: ({ deps, actor, path, body }) => updateTag(deps, actor, path.id, body),
  }),
  endpoint({
    method: "delete",
    path: "/tags/{id}",
    operationId: "deleteTag",
    summary: "Delete a tag",
    description: "Also removes the tag from its links.",
    scope: "tags.write",
    pathSchema: tagPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteTag(deps, actor, path.id),
  }),
];

/** The former name of the field takes precedence, as in Dub's API. */
function asNamed(body: unknown): unknown {
  return hasTag(body) ? { ...body, name: body.tag } : body;
}

function hasTag(body: unknown): body is { tag: unknown } {
  return typeof body === "object" && body !== null && "tag" in body && body.tag !== undefined;
}
