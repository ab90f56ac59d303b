import { z } from "@hono/zod-openapi";
import { blockedDomains } from "../domains/domains.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { workspacePath } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "Workspaces", uses: ["database", "redirects"] });

/** A block by the operator, as the API shows it to members of the workspace. */
const Block = z
  .object({
    kind: z.enum(["workspace", "domain"]),
    target: z.string().openapi({ example: "go.example.com", description: "The workspace's number, or the domain." }),
  })
  .openapi("Block");

/** The operation on blocks. */
export const blockEndpoints = [
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/blocks",
    operationId: "listBlocks",
    summary: "List the operator's blocks of a workspace",
    description:
      "Lists the workspace itself, if blocked, and its blocked domains. Members of a blocked workspace can call no other operation on it. `GET /v1/links/warnings` lists blocked links.",
    scope: "workspaces.read",
    allowsBlockedWorkspace: true,
    pathSchema: workspacePath,
    responseSchema: z.array(Block),
    responseExample: [{ kind: "domain", target: "go.example.com" }],
    async handle({ deps, actor }): Promise<z.input<typeof Block>[]> {
      const blocks = await deps.redirects.lookup.blocks();
      if (blocks.isEmpty) return [];
      const { workspaceId } = actor;
      const slugs = await blockedDomains({ db: deps.database.reads }, actor, blocks);
      return [
        ...(blocks.hasWorkspace(workspaceId) ? [{ kind: "workspace" as const, target: String(workspaceId) }] : []),
        ...slugs.map((target) => ({ kind: "domain" as const, target })),
      ];
    },
  }),
];
