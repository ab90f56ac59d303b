import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import {
  countFolders,
  createFolder,
  deleteFolder,
  type Folder as FolderNoun,
  findFolder,
  folderDescriptionCharactersMax,
  folderNameCharactersMax,
  listFolders,
  updateFolder,
} from "../links/folders.ts";
import { name, nameSearch, pageMax, pageQuery, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";

const endpoint = endpointUsing({ tag: "Folders", uses: ["config", "db", "now"] });

const pageSizeMax = 50;
const accessLevel = z.enum(["write", "read"], "must be write or read").nullable();

/** A folder as the API shows it. */
const Folder = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    type: z.literal("default"),
    accessLevel,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("Folder");

const example: z.input<typeof Folder> = {
  id: "fold_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  name: "Spring",
  description: null,
  type: "default",
  accessLevel: "write",
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

const folderName = name(folderNameCharactersMax).openapi({ description: "Unique in the workspace, ignoring case." });
const description = z
  .string()
  .max(folderDescriptionCharactersMax, `must have at most ${folderDescriptionCharactersMax} characters`)
  .nullish();
const access = accessLevel.optional().openapi({
  description:
    "With a value other than write, the folder is for owners only: a member who is no owner cannot change or delete " +
    "it, add links to it, or update, move, delete or bulk-change its links.",
});
const search = nameSearch(folderNameCharactersMax);
const folderPath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on folders. */
export const folderEndpoints = [
  endpoint({
    method: "post",
    path: "/folders",
    operationId: "createFolder",
    summary: "Create a folder",
    scope: "folders.write",
    bodySchema: z.object({ name: folderName, description, accessLevel: access }),
    bodyExample: { name: "Spring", accessLevel: "write" },
    status: 201,
    responseSchema: Folder,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const { name: folder, description: text = null, accessLevel: level = "write" } = body;
      return serialize(
        await createFolder(deps, actor, { name: folder, description: orNull(text), accessLevel: level }),
      );
    },
  }),
  endpoint({
    method: "get",
    path: "/folders",
    operationId: "listFolders",
    summary: "List folders",
    description: "Oldest first. GET /links/count with groupBy=folderId returns the number of links in each folder.",
    scope: "folders.read",
    querySchema: z.object({
      search,
      ...pageQuery(pageSizeMax),
    }),
    responseSchema: z.array(Folder),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const { page = 1, pageSize, ...filter } = call.query;
      const folders = await listFolders(call.deps, call.actor, filter, { page, pageSize });
      return pagedReply(call, folders.map(serialize), { requested: { page, pageSize }, pageMax });
    },
  }),
  endpoint({
    method: "get",
    path: "/folders/count",
    operationId: "countFolders",
    summary: "Count folders",
    scope: "folders.read",
    querySchema: z.object({ search }),
    responseSchema: z.int(),
    responseExample: 7,
    handle: ({ deps, actor, query }) => countFolders(deps, actor, query),
  }),
  endpoint({
    method: "get",
    path: "/folders/{id}",
    operationId: "getFolder",
    summary: "Retrieve a folder",
    scope: "folders.read",
    pathSchema: folderPath,
    responseSchema: Folder,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(await findFolder(deps, actor, path.id)),
  }),
  endpoint({
    method: "patch",
    path: "/folders/{id}",
    operationId: "updateFolder",
    summary: "Update a folder",
    description: "Omitted fields stay unchanged.",
    scope: "folders.write",
    pathSchema: folderPath,
    bodySchema: z.object({ name: folderName.optional(), description, accessLevel: access }),
    bodyExample: { description: "Links of the spring campaign" },
    responseSchema: Folder,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, path, body }) {
      const changes = { ...body, description: orNull(body.description) };
      return serialize(await updateFolder(deps, actor, path.id, changes));
    },
  }),
  endpoint({
    method: "delete",
    path: "/folders/{id}",
    operationId: "deleteFolder",
    summary: "Delete a folder",
    description: "The links remain, in no folder.",
    scope: "folders.write",
    pathSchema: folderPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteFolder(deps, actor, path.id),
  }),
];

function orNull<Text extends string | null | undefined>(text: Text): Text | null {
  return text === "" ? null : text;
}

function serialize({ createdAt, updatedAt, ...folder }: FolderNoun): z.input<typeof Folder> {
  return { ...folder, type: "default", createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
