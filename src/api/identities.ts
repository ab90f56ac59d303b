import { z } from "@hono/zod-openapi";
import { confirmPerson } from "../access/confirm-person.ts";
import { disconnectIdentity, listIdentities, type UserIdentity } from "../access/identities.ts";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { getUser } from "../access/update-user.ts";
import { isoTime } from "../base/time.ts";
import { confirmation, confirmationExample, confirmingDeps } from "./confirmation.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";
import { ownSession } from "./user.ts";

const endpoint = endpointUsing({ tag: "User", uses: ["attempts", "config", "db", "mailer", "now"] });

/** A person's account at an identity provider. */
export const Identity = z
  .object({
    id: z.string(),
    provider: z.string().openapi({ description: "The name of the provider; the host of one that was replaced." }),
    issuer: z.string().openapi({ description: "The provider's issuer URL." }),
    email: z.string().nullable().openapi({
      description: "The address at the provider, as of the last sign-in; null if unknown.",
    }),
    isActive: z.boolean().openapi({ description: "false: the service no longer uses this provider." }),
    createdAt: timestamp.openapi({ description: "When it was connected to the account." }),
  } satisfies Record<keyof UserIdentity, z.ZodType>)
  .openapi("Identity");

/** An Identity for examples. */
export const identityExample: z.input<typeof Identity> = {
  id: "identity_9f86d081884c7d659a2feaa0c55ad015",
  provider: "Acme",
  issuer: "https://id.example.com/realms/acme",
  email: "ann@example.com",
  isActive: true,
  createdAt: "2026-11-20T09:30:00.000Z",
};

/** The operations on the caller's accounts at identity providers. */
export const identityEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/user/identities",
    operationId: "listIdentities",
    summary: "List the identity providers that sign you in",
    responseSchema: z.array(Identity),
    responseExample: [identityExample],
    handle: async ({ deps, actor }) => (await listIdentities(deps, actor.userId)).map(serializeIdentity),
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/identities/{id}/disconnect",
    operationId: "disconnectIdentity",
    summary: "Disconnect an identity provider",
    description:
      "Ends your other sessions that began there. Refused for your only way to sign in. The next sign-in with the provider connects it again, if both sides have verified the same address.",
    pathSchema: z.object({ id: z.string().openapi({ example: identityExample.id }) }),
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: identityExample.id },
    problems: ["conflict"],
    async handle({ deps, actor, path, body, request }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      const { id, provider } = await disconnectIdentity(deps, ownSession(actor), path.id);
      mailAccountChange(deps, await getUser(deps, actor.userId), { kind: "identityDisconnected", provider });
      return { id };
    },
  }),
];

/** Returns an identity as responses have it. */
export function serializeIdentity({ createdAt, ...identity }: UserIdentity): z.input<typeof Identity> {
  return { ...identity, createdAt: isoTime(createdAt) };
}
