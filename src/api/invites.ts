import { z } from "@hono/zod-openapi";
import {
  acceptInvite,
  type NewInvite as InviteFields,
  inviteLifeMaxMs,
  inviteLifeMs,
  listInvites,
  mailedInvitesPerDayMax,
  revokeInvite,
  type Invite as StoredInvite,
} from "../access/invites.ts";
import { sendInvite } from "../access/send-invite.ts";
import { emailMax } from "../access/users.ts";
import { dayMs, isoTime } from "../base/time.ts";
import { instant, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { roleSchema, serializeDetails, WorkspaceDetails, workspaceExample, workspacePath } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "Members", uses: ["attempts", "config", "db", "mailer", "now"] });

/** An open invite as the API shows it, without its link. */
const Invite = z
  .object({
    id: z.string().openapi({ example: "inv_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    email: z.string().nullable().openapi({ description: "null: anyone with the link may accept." }),
    role: roleSchema,
    userId: z.string().nullable().openapi({ description: "The user who sent the invite." }),
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .openapi("Invite");

const NewInvite = Invite.extend({
  url: z.string().openapi({ description: "The link to open. It is shown only once." }),
  mailed: z.boolean().openapi({ description: "Whether the mail server accepted a mail with the link." }),
}).openapi("NewInvite");

const example: z.input<typeof Invite> = {
  id: "inv_01JD3V5Y7Z9B1D3F5H7K9M1P3R",
  email: "ada@example.com",
  role: "member",
  userId: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R",
  expiresAt: "2026-11-27T09:30:00.000Z",
  createdAt: "2026-11-20T09:30:00.000Z",
};

/** The operations on invites. */
export const inviteEndpoints = [
  endpoint({
    method: "post",
    path: "/workspaces/{workspaceId}/invites",
    operationId: "createInvite",
    summary: "Invite a user to a workspace",
    description: `Returns a link that works once, for ${inviteLifeMs / dayMs} days unless expiresAt sets another time (at most ${inviteLifeMaxMs / dayMs} days). With an email, only that address can accept, and the instance mails the link if it has a mail server; a workspace can mail ${mailedInvitesPerDayMax} invites a day (UTC), further ones get 429.`,
    scope: "workspaces.write",
    isForOwners: true,
    returnsSecret: true,
    pathSchema: workspacePath,
    bodySchema: z.object({
      email: z
        .string()
        .max(emailMax)
        .nullable()
        .default(null)
        .openapi({ type: ["string", "null"] }),
      role: roleSchema.default("member"),
      // No example: any fixed date would be invalid at some time.
      expiresAt: instant("end")
        .nullable()
        .default(null)
        .openapi({ type: ["string", "null"], example: undefined }),
    } satisfies Record<keyof InviteFields, z.ZodType>),
    bodyExample: { email: "ada@example.com", role: "member" },
    status: 201,
    responseSchema: NewInvite,
    responseExample: { ...example, url: "https://links.example.com/app/invites/Kd82…", mailed: true },
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const { invite, url, isMailed } = await sendInvite({ ...deps, appUrl: deps.config.WAYPOST_URL }, actor, body);
      return { ...serialize(invite), url, mailed: isMailed };
    },
  }),
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/invites",
    operationId: "listInvites",
    summary: "List the open invites of a workspace",
    description: "The links themselves are never shown again.",
    scope: "workspaces.read",
    pathSchema: workspacePath,
    responseSchema: z.array(Invite),
    responseExample: [example],
    handle: async ({ deps, actor }) => (await listInvites(deps, actor)).map(serialize),
  }),
  endpoint({
    method: "delete",
    path: "/workspaces/{workspaceId}/invites/{inviteId}",
    operationId: "revokeInvite",
    summary: "Revoke an invite",
    description: "Its link stops working at once.",
    scope: "workspaces.write",
    isForOwners: true,
    pathSchema: workspacePath.extend({ inviteId: z.string().openapi({ example: "inv_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }) }),
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => revokeInvite(deps, actor, path.inviteId),
  }),
  endpoint({
    method: "post",
    path: "/invites/{token}/accept",
    operationId: "acceptInvite",
    summary: "Accept an invite",
    description:
      "The user of the key joins the workspace; token is the last part of the invite's link. A person without an account opens the link in a browser.",
    scope: "workspaces.write",
    isAboutUser: true,
    allowsNoWorkspace: true,
    pathSchema: z.object({ token: z.string().openapi({ example: "Kd82…" }) }),
    responseSchema: WorkspaceDetails,
    responseExample: { ...workspaceExample, role: "member" },
    problems: ["conflict"],
    handle: async ({ deps, actor, path }) =>
      serializeDetails(await acceptInvite(deps, actor, path.token), deps.config.WAYPOST_URL),
  }),
];

function serialize({ expiresAt, createdAt, ...invite }: StoredInvite): z.input<typeof Invite> {
  return { ...invite, expiresAt: isoTime(expiresAt), createdAt: isoTime(createdAt) };
}
