import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import {
  createSavedView,
  deleteSavedView,
  findSavedView,
  listSavedViews,
  type SavedView as StoredView,
  savedViewNameCharactersMax,
  savedViewQueryCharactersMax,
  savedViewsMax,
  updateSavedView,
} from "../links/saved-views.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "Saved views", uses: ["db", "now"] });

const SavedView = z
  .object({
    id: z.string(),
    name: z.string(),
    query: z.string(),
    shared: z.boolean(),
    userId: z.string().openapi({ description: "The creator." }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("SavedView");

const example: z.input<typeof SavedView> = {
  id: "view_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  name: "Most clicked posters",
  query: "search=poster&order=mostClicked",
  shared: true,
  userId: "user_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

const viewName = name(savedViewNameCharactersMax);
const query = z
  .string()
  .max(savedViewQueryCharactersMax, `must have at most ${savedViewQueryCharactersMax} characters`)
  .openapi({
    description:
      "The query of the dashboard's page of links. Parameters that the dashboard does not know have no effect.",
  });
const shared = z.boolean().openapi({ description: "True shows the view to every member of the workspace." });
const ViewBody = z.object({ name: viewName, query, shared: shared.default(false) }).openapi("SavedViewFields");
const ViewChange = z
  .object({ name: viewName.optional(), query: query.optional(), shared: shared.optional() })
  .openapi("SavedViewChange");
const bodyExample = { name: "Most clicked posters", query: "search=poster&order=mostClicked", shared: true };
const viewPath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on saved views. */
export const savedViewEndpoints = [
  endpoint({
    method: "post",
    path: "/saved-views",
    operationId: "createSavedView",
    summary: "Create a saved view",
    description:
      "A named filter of the dashboard's list of links, private or shared with the workspace. A workspace has at most " +
      `${savedViewsMax} shared views, and each user ${savedViewsMax} private ones in it.`,
    scope: "links.write",
    bodySchema: ViewBody,
    bodyExample,
    status: 201,
    responseSchema: SavedView,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const { shared: isShared, ...fields } = body;
      return serialize(await createSavedView(deps, actor, { ...fields, isShared }));
    },
  }),
  endpoint({
    method: "get",
    path: "/saved-views",
    operationId: "listSavedViews",
    summary: "List saved views",
    description: "Your private views and the shared ones, ordered by name.",
    scope: "links.read",
    responseSchema: z.array(SavedView),
    responseExample: [example],
    handle: async ({ deps, actor }) => (await listSavedViews(deps, actor)).map(serialize),
  }),
  endpoint({
    method: "get",
    path: "/saved-views/{id}",
    operationId: "getSavedView",
    summary: "Retrieve a saved view",
    scope: "links.read",
    pathSchema: viewPath,
    responseSchema: SavedView,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(await findSavedView(deps, actor, path.id)),
  }),
  endpoint({
    method: "patch",
    path: "/saved-views/{id}",
    operationId: "updateSavedView",
    summary: "Update a saved view",
    description:
      "Omitted fields stay unchanged. Every member can change a shared view; only its creator can make it private.",
    scope: "links.write",
    pathSchema: viewPath,
    bodySchema: ViewChange,
    bodyExample,
    responseSchema: SavedView,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, path, body }) {
      const { shared: isShared, ...fields } = body;
      return serialize(await updateSavedView(deps, actor, path.id, { ...fields, isShared }));
    },
  }),
  endpoint({
    method: "delete",
    path: "/saved-views/{id}",
    operationId: "deleteSavedView",
    summary: "Delete a saved view",
    scope: "links.write",
    pathSchema: viewPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteSavedView(deps, actor, path.id),
  }),
];

function serialize({ createdAt, updatedAt, isShared, ...view }: StoredView): z.input<typeof SavedView> {
  return { ...view, shared: isShared, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
