import { z } from "@hono/zod-openapi";
import { changeRole, listMembers, removeMember, type Member as StoredMember } from "../access/members.ts";
import { isoTime } from "../base/time.ts";
import { userAvatarUrl, userAvatarUrlOf } from "./avatar-schema.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { roleSchema, workspacePath } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "Members", uses: ["config", "db", "now"] });

/** A member of a workspace, as the API shows it. */
const Member = z
  .object({
    userId: z.string().openapi({ example: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    name: z.string().openapi({ example: "Ada" }),
    email: z.string().nullable().openapi({ example: "ada@example.com" }),
    role: roleSchema,
    avatarUrl: userAvatarUrl,
    createdAt: timestamp.openapi({ description: "When the user became a member." }),
  })
  .openapi("Member");

const example: z.input<typeof Member> = {
  userId: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R",
  name: "Ada",
  email: "ada@example.com",
  role: "member",
  avatarUrl: null,
  createdAt: "2026-11-20T09:30:00.000Z",
};

const memberPath = workspacePath.extend({
  userId: z.string().openapi({ example: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
});

/** The operations on members. */
export const memberEndpoints = [
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/members",
    operationId: "listMembers",
    summary: "List the members of a workspace",
    description: "The earliest members first.",
    scope: "workspaces.read",
    pathSchema: workspacePath,
    responseSchema: z.array(Member),
    responseExample: [example],
    handle: async ({ deps, actor }) =>
      (await listMembers(deps, actor)).map((member) => serialize(member, deps.config.WAYPOST_URL)),
  }),
  endpoint({
    method: "patch",
    path: "/workspaces/{workspaceId}/members/{userId}",
    operationId: "updateMember",
    summary: "Change a member's role",
    description:
      "A workspace always has an owner: the last owner keeps the role. The open invites of a former owner end.",
    scope: "workspaces.write",
    isForOwners: true,
    pathSchema: memberPath,
    bodySchema: z.object({ role: roleSchema }),
    bodyExample: { role: "viewer" },
    responseSchema: Member,
    responseExample: { ...example, role: "viewer" },
    problems: ["conflict"],
    changedObjects: {
      async read({ deps, actor, path }) {
        const { userId } = memberPath.parse(path);
        const members = await listMembers(deps, actor);
        return members
          .filter((member) => member.userId === userId)
          .map((member) => serialize(member, deps.config.WAYPOST_URL));
      },
    },
    async handle({ deps, actor, path, body }) {
      const member = await changeRole(deps, actor, { userId: path.userId, role: body.role });
      return serialize(member, deps.config.WAYPOST_URL);
    },
  }),
  endpoint({
    method: "delete",
    path: "/workspaces/{workspaceId}/members/{userId}",
    operationId: "removeMember",
    summary: "Remove a member, or leave a workspace",
    description:
      "Owners can remove every member; each member can leave, with their own id. The user's API keys of this workspace and the invites they sent end; their links stay. The last owner cannot leave.",
    scope: "workspaces.write",
    isAboutUser: true,
    pathSchema: memberPath,
    responseSchema: z.object({ userId: z.string() }),
    responseExample: { userId: example.userId },
    problems: ["conflict"],
    handle: ({ deps, actor, path }) => removeMember(deps, actor, path.userId),
  }),
];

function serialize({ createdAt, avatarFile, ...member }: StoredMember, appUrl: URL): z.input<typeof Member> {
  return { ...member, avatarUrl: userAvatarUrlOf(avatarFile, appUrl), createdAt: isoTime(createdAt) };
}
