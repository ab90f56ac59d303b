import { z } from "@hono/zod-openapi";
import { avatarBytesMax } from "../access/avatar-image.ts";
import { removeAvatar, setAvatar } from "../access/avatars.ts";
import { deleteWorkspace } from "../access/delete-workspace.ts";
import {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  type Membership,
  type Workspace as StoredWorkspace,
  updateWorkspace,
  type WorkspaceChanges,
  workspaceNameMax,
} from "../access/workspaces.ts";
import { retentionDaysMax } from "../base/limit-bounds.ts";
import { isoTime } from "../base/time.ts";
import { createExample, getExample } from "../examples/create-example.ts";
import { cornerShapes, dotShapes, frames, frameTextCharactersMax, type SavedQrStyle } from "../qr-codes/qr-style.ts";
import { oneOf } from "./analytics-schemas.ts";
import { avatarBody, avatarExample } from "./avatar-schema.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "Workspaces", uses: ["config", "db", "now"] });

/** A user's role in a workspace. */
export const roleSchema = z.enum(["owner", "member", "viewer"]);

/** A workspace as the API lists it to one of its members; the specification fixes these four fields. */
const Workspace = z
  .object({
    id: z.int().openapi({ example: 1 }),
    name: z.string().openapi({ example: "Acme" }),
    role: roleSchema.openapi({ description: "Your role in the workspace." }),
    avatar_url: z.string().openapi({ example: "https://links.example.com/app/avatars/1.svg" }),
  })
  .openapi("Workspace");

const styleColor = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, "must be a hex color of 6 digits such as #1A2B3C")
  .openapi({ example: "#1A2B3C" });
const styleName = <const Names extends readonly [string, ...string[]]>(names: Names) => z.enum(names, oneOf(names));

const styleFields = z.object({
  fgColor: styleColor,
  bgColor: styleColor,
  dots: styleName(dotShapes),
  corners: styleName(cornerShapes),
  frame: styleName(frames),
  frameText: z.string().trim().max(frameTextCharactersMax, `must have at most ${frameTextCharactersMax} characters`),
  hideLogo: z.boolean(),
} satisfies Record<keyof SavedQrStyle, z.ZodType>);
/** A complete style of QR codes, with the names of the parameters of `GET /v1/qr`. */
const QrStyle = styleFields.openapi("QrStyle");

/** One workspace by itself. */
export const WorkspaceDetails = Workspace.extend({
  clickRetentionDays: z.int().nullable().openapi({
    example: 365,
    description: "How many days individual clicks are kept; null means forever. Click counts are kept longer.",
  }),
  qrStyle: z.union([QrStyle, z.null()]).openapi({
    description: "The style with which the dashboard starts QR codes of the workspace; null until a member saves one.",
  }),
  requiresSecondFactor: z.boolean().openapi({
    description: "Whether members need a second factor. API keys of members without one are refused.",
  }),
  createdAt: timestamp,
}).openapi("WorkspaceDetails");

const listed: z.input<typeof Workspace> = {
  id: 1,
  name: "Acme",
  role: "owner",
  avatar_url: "https://links.example.com/app/avatars/1.svg",
};
/** The example of a workspace in the OpenAPI document. */
export const workspaceExample: z.input<typeof WorkspaceDetails> = {
  ...listed,
  clickRetentionDays: null,
  qrStyle: null,
  requiresSecondFactor: false,
  createdAt: "2026-11-20T09:30:00.000Z",
};

/** The workspace that a path names; authorize resolves it before the handler runs. */
export const workspacePath = z.object({
  workspaceId: z.string().openapi({ type: "integer", minimum: 1, example: 1 }),
});

/** A user's example workspace. */
const ExampleWorkspace = z
  .object({
    id: z.int().openapi({ example: 2 }),
    isReady: z
      .boolean()
      .openapi({ description: "True once its links and clicks exist, a few seconds after it is created." }),
  })
  .openapi("ExampleWorkspace");

const retentionExpected = `must be a whole number of days from 1 to ${retentionDaysMax}, or null to keep clicks forever`;
/** Calls that an example counts as: making its clicks keeps the click store busy for seconds. */
const exampleCalls = 150;

/** The operations on workspaces. */
export const workspaceEndpoints = [
  endpoint({
    method: "post",
    path: "/workspaces",
    operationId: "createWorkspace",
    summary: "Create a workspace",
    description: "You become its owner.",
    scope: "workspaces.write",
    isAboutUser: true,
    allowsNoWorkspace: true,
    bodySchema: z.object({ name: name(workspaceNameMax) }),
    bodyExample: { name: "Acme" },
    status: 201,
    responseSchema: z.object({ success: z.literal(true), id: z.int() }),
    responseExample: { success: true, id: 2 },
    problems: ["conflict"],
    handle: async ({ deps, actor, body }) => ({ success: true, id: await createWorkspace(deps, actor, body.name) }),
  }),
  endpoint({
    method: "get",
    path: "/workspaces",
    operationId: "listWorkspaces",
    summary: "List the workspaces you belong to",
    scope: "workspaces.read",
    isAboutUser: true,
    allowsNoWorkspace: true,
    responseSchema: z.object({ workspaces: z.array(Workspace) }),
    responseExample: { workspaces: [listed] },
    async handle({ deps, actor }) {
      const memberships = await listWorkspaces(deps, actor);
      return { workspaces: memberships.map((membership) => serialize(membership, deps.config.WAYPOST_URL)) };
    },
  }),
  endpoint({
    method: "post",
    path: "/user/example-workspace",
    operationId: "createExampleWorkspace",
    summary: "Create an example workspace",
    description:
      "Creates a workspace to explore, with links, tags, folders and a year of clicks, which follow in the background. A user has at most one. DELETE /v1/workspaces/{id} removes it with its clicks.",
    scope: "workspaces.write",
    isAboutUser: true,
    allowsNoWorkspace: true,
    status: 201,
    responseSchema: ExampleWorkspace,
    responseExample: { id: 2, isReady: false },
    problems: ["conflict"],
    async handle({ deps, actor, spend }) {
      spend(exampleCalls - 1);
      return await createExample(deps, actor);
    },
  }),
  endpoint({
    method: "get",
    path: "/user/example-workspace",
    operationId: "getExampleWorkspace",
    summary: "Retrieve your example workspace",
    scope: "workspaces.read",
    isAboutUser: true,
    allowsNoWorkspace: true,
    description: "`example` is null without one.",
    responseSchema: z.object({ example: z.union([ExampleWorkspace, z.null()]) }),
    responseExample: { example: { id: 2, isReady: true } },
    handle: async ({ deps, actor }) => ({ example: await getExample(deps, actor) }),
  }),
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}",
    operationId: "getWorkspace",
    summary: "Retrieve a workspace",
    scope: "workspaces.read",
    pathSchema: workspacePath,
    responseSchema: WorkspaceDetails,
    responseExample: workspaceExample,
    handle: async ({ deps, actor }) => serializeDetails(await getWorkspace(deps, actor), deps.config.WAYPOST_URL),
  }),
  endpoint({
    method: "patch",
    path: "/workspaces/{workspaceId}",
    operationId: "updateWorkspace",
    summary: "Update a workspace",
    description:
      "Omitted fields stay unchanged. Only owners change clickRetentionDays: older clicks are then removed permanently, within hours and later once a day. Their counts by link, domain, time and bot remain.",
    scope: "workspaces.write",
    pathSchema: workspacePath,
    bodySchema: z.object({
      name: name(workspaceNameMax).optional(),
      clickRetentionDays: z
        .int(retentionExpected)
        .min(1, retentionExpected)
        .max(retentionDaysMax, retentionExpected)
        .nullish()
        .openapi({ description: "How many days individual clicks are kept; null means forever." }),
      qrStyle: styleFields
        .nullish()
        .openapi({ description: "The style with which the dashboard starts QR codes of the workspace." }),
      requiresSecondFactor: z
        .boolean()
        .optional()
        .openapi({ description: "Whether members who are signed in need a second factor. Only owners change it." }),
    } satisfies Record<keyof WorkspaceChanges, z.ZodType>),
    bodyExample: { name: "Acme Ltd" },
    responseSchema: WorkspaceDetails,
    responseExample: { ...workspaceExample, name: "Acme Ltd" },
    handle: async ({ deps, actor, body }) =>
      serializeDetails(await updateWorkspace(deps, actor, body), deps.config.WAYPOST_URL),
  }),
  endpoint({
    method: "delete",
    path: "/workspaces/{workspaceId}",
    operationId: "deleteWorkspace",
    summary: "Delete a workspace",
    description:
      "Deletes its members, keys, domains, links, tags, folders and clicks permanently. Its keys and links stop at once; rows and clicks are erased in the background. Refused for the workspace that owns the service's domain.",
    scope: "workspaces.write",
    isForOwners: true,
    pathSchema: workspacePath,
    querySchema: z.object({
      confirm: z
        .string("must be the workspace's name")
        .openapi({ description: "The workspace's name, as a confirmation.", example: "Acme" }),
    }),
    responseSchema: z.object({ id: z.int() }),
    responseExample: { id: 1 },
    problems: ["conflict"],
    handle: ({ deps, actor, query }) => deleteWorkspace(deps, actor, query.confirm),
  }),
  endpoint({
    method: "put",
    path: "/workspaces/{workspaceId}/avatar",
    operationId: "setWorkspaceAvatar",
    summary: "Upload a workspace's avatar",
    description: `A PNG, JPEG or WebP image of at most ${avatarBytesMax / 1024} KiB, as a base64 data URL. Its avatar_url needs no sign-in.`,
    scope: "workspaces.write",
    pathSchema: workspacePath,
    bodySchema: avatarBody,
    bodyExample: avatarExample,
    responseSchema: WorkspaceDetails,
    responseExample: {
      ...workspaceExample,
      avatar_url: "https://links.example.com/app/avatars/1-4bf5122f344554c53bde2ebb8cd2b7e3.png",
    },
    handle: async ({ deps, actor, body }) =>
      serializeDetails(await setAvatar(deps, actor, body.image), deps.config.WAYPOST_URL),
  }),
  endpoint({
    method: "delete",
    path: "/workspaces/{workspaceId}/avatar",
    operationId: "removeWorkspaceAvatar",
    summary: "Remove a workspace's avatar",
    description: "The generated avatar is used again.",
    scope: "workspaces.write",
    pathSchema: workspacePath,
    responseSchema: WorkspaceDetails,
    responseExample: workspaceExample,
    handle: async ({ deps, actor }) => serializeDetails(await removeAvatar(deps, actor), deps.config.WAYPOST_URL),
  }),
];

function serialize({ id, name, role, avatarFile }: Membership, appUrl: URL): z.input<typeof Workspace> {
  return { id, name, role, avatar_url: new URL(`/app/avatars/${avatarFile ?? `${id}.svg`}`, appUrl).href };
}

/** Returns a single workspace as the API shows it. */
export function serializeDetails(workspace: StoredWorkspace, appUrl: URL): z.input<typeof WorkspaceDetails> {
  const { clickRetentionDays, qrStyle, requiresSecondFactor, createdAt } = workspace;
  const details = { clickRetentionDays, qrStyle, requiresSecondFactor, createdAt: isoTime(createdAt) };
  return { ...serialize(workspace, appUrl), ...details };
}
