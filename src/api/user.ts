import assert from "node:assert/strict";
import { z } from "@hono/zod-openapi";
import type { Actor } from "../access/actor.ts";
import { avatarBytesMax } from "../access/avatar-image.ts";
import type { OwnSession } from "../access/confirm-person.ts";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { mailVerificationLink } from "../access/mail-verification-link.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import { endSessionsOf, listSessions, revokeSession, type Session as StoredSession } from "../access/sessions.ts";
import { type UserChange as Change, getUser, type OwnUser, updateUser } from "../access/update-user.ts";
import { removeUserAvatar, setUserAvatar } from "../access/user-avatars.ts";
import { emailMax, passwordMax } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import type { Config } from "../config.ts";
import { signInMethods } from "../database/sign-in-tables.ts";
import { transact } from "../database/transact.ts";
import { avatarBody, avatarExample, userAvatarUrl, userAvatarUrlOf } from "./avatar-schema.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "User", uses: ["attempts", "config", "db", "mailer", "now"] });

const User = z
  .object({
    id: z.string(),
    email: z.string().nullable().openapi({ description: "null until it is set." }),
    emailVerified: z
      .boolean()
      .openapi({ description: "Whether the address was verified, by a mailed link or by the operator." }),
    name: z.string(),
    avatarUrl: userAvatarUrl,
    createdAt: timestamp,
    isAdministrator: z.boolean().openapi({ description: "Whether the user administers the whole service." }),
    hasPassword: z.boolean().openapi({ description: "Whether the user can sign in with a password." }),
  })
  .openapi("User");

const Session = z
  .object({
    id: z.string(),
    label: z.string().openapi({ description: "Browser and operating system." }),
    method: z.enum(signInMethods).openapi({
      description:
        "How the session began: with a password, also with a one-time code, with a link or an invite, with the identity provider, or with a passkey.",
    }),
    createdAt: timestamp,
    lastSeenAt: timestamp.openapi({ description: "Precise to the minute." }),
    isCurrent: z.boolean().openapi({ description: "Whether this call uses the session." }),
  })
  .openapi("Session");

const userExample: z.input<typeof User> = {
  id: "user_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  email: "ann@example.com",
  emailVerified: true,
  name: "Ann",
  avatarUrl: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  isAdministrator: false,
  hasPassword: true,
};
const sessionExample: z.input<typeof Session> = {
  id: "session_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  label: "Firefox on Linux",
  method: "password",
  createdAt: "2026-11-20T09:30:00.000Z",
  lastSeenAt: "2026-11-21T10:00:00.000Z",
  isCurrent: true,
};

const givenPassword = z.string().max(passwordMax, `must have at most ${passwordMax} characters`);
const UserChange = z
  .object({
    name: name(workspaceNameMax).optional(),
    email: z.string().max(emailMax, `must have at most ${emailMax} characters`).optional(),
    password: z.object({ current: givenPassword, new: givenPassword }).optional(),
    currentPassword: givenPassword.optional().openapi({
      description:
        "The current password. Required to change the e-mail without the password, unless you have none and signed in within 10 minutes.",
    }),
  } satisfies Record<keyof Change, z.ZodType>)
  .openapi("UserChange");

const shared = { isAboutUser: true, allowsNoWorkspace: true } as const;

/** The operations on the caller's user and sessions. */
export const userEndpoints = [
  endpoint({
    ...shared,
    method: "get",
    path: "/user",
    operationId: "getUser",
    summary: "Retrieve your user",
    scope: "user",
    responseSchema: User,
    responseExample: userExample,
    handle: async ({ deps, actor }) => serialize(await getUser(deps, actor.userId), deps.config),
  }),
  endpoint({
    ...shared,
    method: "patch",
    path: "/user",
    operationId: "updateUser",
    summary: "Update your user",
    description:
      "Omitted fields stay unchanged. A new e-mail or password requires the current password. A new password signs you out everywhere else. A new e-mail is unverified; the service mails a verification link to it, and a notice to the earlier address if that was verified. At most 5 changes of the e-mail an hour.",
    scope: "session",
    bodySchema: UserChange,
    bodyExample: { name: "Ann" },
    responseSchema: User,
    responseExample: userExample,
    problems: ["conflict"],
    async handle({ deps, actor, body, request, warn }) {
      const before = await getUser(deps, actor.userId);
      const { db, now, config } = deps;
      const { ownPassword: limits, emailChange: emailChanges } = deps.attempts;
      const user = await updateUser(
        { db, now, config, limits, emailChanges, signal: request.signal },
        ownSession(actor),
        body,
      );
      const hasOtherEmail = user.email !== before.email;
      if (hasOtherEmail && user.email !== null)
        mailAccountChange(deps, before, { kind: "emailChanged", email: user.email });
      if (body.password !== undefined) mailAccountChange(deps, before, { kind: "passwordChanged" });
      if (hasOtherEmail) {
        // The change stays even if the mail fails.
        await sendLink(deps, user.id).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          warn?.({ code: "link_not_mailed", message: [error.message, error.hint ?? ""].join(" ").trim() });
        });
      }
      return serialize(user, deps.config);
    },
  }),
  endpoint({
    ...shared,
    method: "put",
    path: "/user/avatar",
    operationId: "setUserAvatar",
    summary: "Upload your avatar",
    description: `A PNG, JPEG or WebP image of at most ${avatarBytesMax / 1024} KiB, as a base64 data URL. Only members of your workspaces see it, while they are signed in.`,
    scope: "session",
    bodySchema: avatarBody,
    bodyExample: avatarExample,
    responseSchema: User,
    responseExample: {
      ...userExample,
      avatarUrl: "https://links.example.com/app/user-avatars/4Gq2vX9bT0sKw7JcZy1mRa.png",
    },
    async handle({ deps, actor, body }) {
      const own = { userId: actor.userId, sessionId: sessionOf(actor) };
      return serialize(await setUserAvatar(deps, own, body.image), deps.config);
    },
  }),
  endpoint({
    ...shared,
    method: "delete",
    path: "/user/avatar",
    operationId: "removeUserAvatar",
    summary: "Remove your avatar",
    scope: "session",
    responseSchema: User,
    responseExample: userExample,
    async handle({ deps, actor }) {
      const own = { userId: actor.userId, sessionId: sessionOf(actor) };
      return serialize(await removeUserAvatar(deps, own), deps.config);
    },
  }),
  endpoint({
    ...shared,
    method: "post",
    path: "/user/verification-mail",
    operationId: "mailVerificationLink",
    summary: "Mail a link that verifies your e-mail address",
    description:
      "The link works once, for 24 hours, and invalidates earlier links. Opened in a browser where you are signed in, it only verifies the address. At most 3 mails an hour.",
    scope: "session",
    responseSchema: z.object({ email: z.string() }),
    responseExample: { email: "ann@example.com" },
    problems: ["conflict"],
    async handle({ deps, actor }) {
      await sendLink(deps, actor.userId);
      return { email: (await getUser(deps, actor.userId)).email };
    },
  }),
  endpoint({
    ...shared,
    method: "get",
    path: "/user/sessions",
    operationId: "listSessions",
    summary: "List your sessions",
    description: "Lists the browsers in which you are signed in, most recently used first.",
    scope: "session",
    responseSchema: z.array(Session),
    responseExample: [sessionExample],
    async handle({ deps, actor }) {
      const sessions = await listSessions(deps, actor.userId);
      return sessions.map((session) => serializeSession(session, actor));
    },
  }),
  endpoint({
    ...shared,
    method: "delete",
    path: "/user/sessions/others",
    operationId: "endOtherSessions",
    summary: "End all your other sessions",
    description: "Ends them at once. The calling session continues.",
    scope: "session",
    responseSchema: z.object({ ended: z.int() }),
    responseExample: { ended: 2 },
    handle: async ({ deps, actor }) => ({
      ended: await transact(deps.db, (tx) => endSessionsOf(tx, actor.userId, sessionOf(actor))),
    }),
  }),
  endpoint({
    ...shared,
    method: "delete",
    path: "/user/sessions/{id}",
    operationId: "endSession",
    summary: "End one of your sessions",
    description: "Ends it at once; it may be the calling session.",
    scope: "session",
    pathSchema: z.object({ id: z.string().openapi({ example: sessionExample.id }) }),
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: sessionExample.id },
    handle: ({ deps, actor, path }) => revokeSession(deps, actor.userId, path.id),
  }),
];

async function sendLink(
  deps: Pick<App, "attempts" | "config" | "db" | "mailer" | "now">,
  userId: string,
): Promise<void> {
  const { db, now, mailer, attempts, config } = deps;
  await mailVerificationLink({ db, now, mailer, limits: attempts.verification, appUrl: config.WAYPOST_URL }, userId);
}

/** The calling session, for confirmPerson. */
export function ownSession(actor: Actor): OwnSession {
  return { userId: actor.userId, sessionId: sessionOf(actor), hasSecondFactor: actor.hasSecondFactor === true };
}

/** The id of the calling session. */
function sessionOf({ sessionId }: Actor): string {
  assert(sessionId !== undefined, "An operation on sessions was called without a session.");
  return sessionId;
}

function serialize(
  { createdAt, verifiedAt, avatarFile, hasPassword, ...user }: OwnUser,
  config: Config,
): z.input<typeof User> {
  return {
    ...user,
    avatarUrl: userAvatarUrlOf(avatarFile, config.WAYPOST_URL),
    emailVerified: verifiedAt !== null,
    hasPassword: hasPassword && hasPasswordSignIn(config),
    createdAt: isoTime(createdAt),
  };
}

function serializeSession(
  { id, label, method, createdAt, lastSeenAt }: StoredSession,
  { sessionId }: Actor,
): z.input<typeof Session> {
  const times = { createdAt: isoTime(createdAt), lastSeenAt: isoTime(lastSeenAt) };
  return { id, label, method, ...times, isCurrent: id === sessionId };
}
