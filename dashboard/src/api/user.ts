import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "./waypost.ts";

/** The signed-in person, as `GET /v1/user` returns them. `email` is null for a user created without one. */
export type User = Schemas["User"];

/** Query key of the signed-in person; that of their sessions starts with it. */
export const userKey = ["user"] as const;
/** Query key of the person's sessions. */
export const sessionsKey = ["user", "sessions"] as const;

/** Query key of the person's one-time codes. */
export const oneTimeCodesKey = ["user", "one-time-codes"] as const;

/** Query key of the identity providers that sign the person in. */
export const identitiesKey = ["user", "identities"] as const;
/** A passkey of the person. */
export type Passkey = Schemas["Passkey"];
/** Query key of the person's passkeys. */
export const passkeysKey = ["user", "passkeys"] as const;

/** Reads the signed-in person. */
export function useUser() {
  return useQuery({ queryKey: userKey, queryFn: () => answerOf(waypost.GET("/user")), staleTime: 60_000 });
}

/** True for an administrator of the instance, who can do what others ask the operator for; false until that is known. */
export function useIsAdministrator(): boolean {
  return useUser().data?.isAdministrator === true;
}

/** Reads the person's sessions, the most recently seen first. */
export function useSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: () => answerOf(waypost.GET("/user/sessions")) });
}

/** Reads whether signing in needs a one-time code. */
export function useOneTimeCodes() {
  return useQuery({ queryKey: oneTimeCodesKey, queryFn: () => answerOf(waypost.GET("/user/one-time-codes")) });
}

/** Reads the identity providers that sign the person in. */
export function useIdentities() {
  return useQuery({ queryKey: identitiesKey, queryFn: () => answerOf(waypost.GET("/user/identities")) });
}

/** Reads the person's passkeys. */
export function usePasskeys() {
  return useQuery({ queryKey: passkeysKey, queryFn: () => answerOf(waypost.GET("/user/passkeys")) });
}
