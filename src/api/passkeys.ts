import { z } from "@hono/zod-openapi";
import { confirmPerson } from "../access/confirm-person.ts";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { passkeyChallengeLifeMs } from "../access/passkey-challenges.ts";
import {
  addPasskey,
  beginPasskey,
  getPasskey,
  listPasskeys,
  type NewPasskeyOptions,
  passkeyNameMax,
  passkeysMax,
  removePasskey,
  renamePasskey,
  type Passkey as StoredPasskey,
} from "../access/passkeys.ts";
import { getUser } from "../access/update-user.ts";
import { isoTime, isoTimeOrNull, minuteMs } from "../base/time.ts";
import { confirmation, confirmationExample, confirmingDeps } from "./confirmation.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";
import { ownSession } from "./user.ts";

const endpoint = endpointUsing({
  tag: "User",
  uses: ["attempts", "config", "db", "mailer", "now", "passkeyChallenges"],
});

const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    host: z.string().openapi({ description: "The host of the service when it was added; it works on no other." }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().openapi({ description: "The last sign-in with it." }),
  })
  .openapi("Passkey");
const example: z.input<typeof Passkey> = {
  id: "passkey_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  name: "Phone",
  host: "links.example.com",
  createdAt: "2026-11-20T09:30:00.000Z",
  lastUsedAt: "2026-11-21T10:00:00.000Z",
};

const credentialType = z.literal("public-key");
const required = z.literal("required");
const Options = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: credentialType, alg: z.int() })),
    timeout: z.int(),
    excludeCredentials: z.array(z.object({ type: credentialType, id: z.string() })),
    authenticatorSelection: z.object({
      residentKey: required,
      requireResidentKey: z.literal(true),
      userVerification: required,
    }),
    attestation: z.literal("none"),
  } satisfies Record<keyof NewPasskeyOptions, z.ZodType>)
  .openapi("NewPasskeyOptions");
const optionsExample: z.input<typeof Options> = {
  challenge: "6kRkBT8vRmm0S4hEx2Y0m6YH0mPpXh3bKz2yqZb0r2E",
  rp: { id: "links.example.com", name: "links.example.com" },
  user: { id: "dXNlcl8wMUtBRlhWOEUzTTJRN040VDlXNVk2WjBBQg", name: "ann@example.com", displayName: "Ann" },
  pubKeyCredParams: [{ type: "public-key", alg: -7 }],
  timeout: passkeyChallengeLifeMs,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  attestation: "none",
};

/** Authenticators may send certificates with a new key, although none are asked for. */
const attestationCharactersMax = 32_000;
const clientDataCharactersMax = 4_000;
/** 1,023 bytes in base64url. */
const credentialIdCharactersMax = 1_364;
const base64url = (charactersMax: number) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(charactersMax, `must have at most ${charactersMax} characters`)
    .regex(/^[\w-]*$/, "must be base64url without padding");
const passkeyName = name(passkeyNameMax);
const NewPasskey = z
  .object({
    name: passkeyName,
    id: base64url(credentialIdCharactersMax),
    clientDataJSON: base64url(clientDataCharactersMax),
    attestationObject: base64url(attestationCharactersMax),
  })
  .openapi("NewPasskey");

const passkeyPath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on the passkeys of the caller's user. */
export const passkeyEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/user/passkeys",
    operationId: "listPasskeys",
    summary: "List your passkeys",
    description: `Oldest first; at most ${passkeysMax}.`,
    responseSchema: z.array(Passkey),
    responseExample: [example],
    handle: async ({ deps, actor }) => (await listPasskeys(deps, actor.userId)).map(serialize),
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/passkeys/options",
    operationId: "beginPasskey",
    summary: "Begin to add a passkey",
    description: `Returns the options for the browser's navigator.credentials.create(), in base64url. They work once, within ${passkeyChallengeLifeMs / minuteMs} minutes, in this session.`,
    returnsSecret: true,
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: Options,
    responseExample: optionsExample,
    problems: ["conflict"],
    async handle({ deps, actor, body, request }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      return await beginPasskey(deps, ownSession(actor));
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/passkeys",
    operationId: "addPasskey",
    summary: "Add a passkey",
    description: `Takes the response of the browser, in base64url. The passkey signs in without a password and a code, and counts as a second factor. At most ${passkeysMax}. You get a mail about it if your e-mail address is verified.`,
    status: 201,
    bodySchema: NewPasskey,
    bodyExample: {
      name: "Phone",
      id: "q0n3Zr2w8k1Tt5Yp7s9VbA",
      clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
      attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ",
    },
    responseSchema: Passkey,
    responseExample: { ...example, lastUsedAt: null },
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const passkey = await addPasskey(deps, ownSession(actor), body);
      mailAccountChange(deps, await getUser(deps, actor.userId), { kind: "passkeyAdded", name: passkey.name });
      return serialize(passkey);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/user/passkeys/{id}",
    operationId: "getPasskey",
    summary: "Retrieve one of your passkeys",
    pathSchema: passkeyPath,
    responseSchema: Passkey,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(await getPasskey(deps, actor.userId, path.id)),
  }),
  endpoint({
    ...sessionAccess,
    method: "patch",
    path: "/user/passkeys/{id}",
    operationId: "renamePasskey",
    summary: "Rename a passkey",
    pathSchema: passkeyPath,
    bodySchema: z.object({ name: passkeyName }).openapi("PasskeyChange"),
    bodyExample: { name: "Laptop" },
    responseSchema: Passkey,
    responseExample: { ...example, name: "Laptop" },
    handle: async ({ deps, actor, path, body }) =>
      serialize(await renamePasskey(deps, { userId: actor.userId, id: path.id }, body.name)),
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/passkeys/{id}/removal",
    operationId: "removePasskey",
    summary: "Remove a passkey",
    description:
      "It no longer signs in, and your other sessions that began with it end. Refused for your only way to sign in. You get a mail about it if your e-mail address is verified.",
    pathSchema: passkeyPath,
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    problems: ["conflict"],
    async handle({ deps, actor, path, body, request }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      const { id, name } = await removePasskey(deps, ownSession(actor), path.id);
      mailAccountChange(deps, await getUser(deps, actor.userId), { kind: "passkeyRemoved", name });
      return { id };
    },
  }),
];

function serialize({ createdAt, lastUsedAt, ...passkey }: StoredPasskey): z.input<typeof Passkey> {
  return { ...passkey, createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
}
