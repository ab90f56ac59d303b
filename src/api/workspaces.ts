import { z } from "@hono/zod-openapi";
import { createWorkspace, listWorkspaces, type Membership, workspaceNameMax } from "../access/workspaces.ts";
import { endpoint } from "./endpoint.ts";
import { name } from "./fields.ts";

const tag = "Workspaces";

/** A workspace as the API answers it to one of its members. */
export const Workspace = z
  .object({
    id: z.int().openapi({ example: 1 }),
    name: z.string().openapi({ example: "Acme" }),
    role: z.enum(["owner", "member", "viewer"]).openapi({ description: "Your role in the workspace." }),
    avatar_url: z.string().openapi({ example: "https://links.example.com/app/avatars/1.svg" }),
  })
  .openapi("Workspace");

/** The operations on workspaces. */
export const workspaceEndpoints = [
  endpoint({
    method: "post",
    path: "/workspaces",
    operationId: "createWorkspace",
    summary: "Create a workspace",
    description: "You become its owner.",
    tag,
    scope: "workspaces.write",
    isAboutUser: true,
    bodySchema: z.object({ name: name(workspaceNameMax) }),
    bodyExample: { name: "Acme" },
    status: 201,
    answer: z.object({ success: z.literal(true), id: z.int() }),
    answerExample: { success: true, id: 2 },
    async handle({ app, actor, body }) {
      return { success: true, id: await createWorkspace(app, actor, body.name) };
    },
  }),
  endpoint({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    summary: "List the workspaces you belong to",
    tag,
    scope: "workspaces.read",
    isAboutUser: true,
    status: 200,
    answer: z.object({ workspaces: z.array(Workspace) }),
    answerExample: {
      workspaces: [{ id: 1, name: "Acme", role: "owner", avatar_url: "https://links.example.com/app/avatars/1.svg" }],
    },
    async handle({ app, actor }) {
      const memberships = await listWorkspaces(app, actor);
      return { workspaces: memberships.map((membership) => serialise(membership, app.config.WAYPOST_URL)) };
    },
  }),
];

function serialise({ id, name, role, avatarUrl }: Membership, appUrl: URL): z.input<typeof Workspace> {
  return { id, name, role, avatar_url: avatarUrl ?? new URL(`/app/avatars/${id}.svg`, appUrl).href };
}
