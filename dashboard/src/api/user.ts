import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "./waypost.ts";

/** The person who is signed in, as `GET /v1/user` tells it. `email` is null for who was made without one. */
export type User = Schemas["User"];

/** Where what is read of the person is kept; below it, their sessions. */
export const userKey = ["user"] as const;
/** Where the list of the person's sessions is kept. */
export const sessionsKey = ["user", "sessions"] as const;

/** Who is signed in. */
export function useUser() {
  return useQuery({ queryKey: userKey, queryFn: () => answerOf(waypost.GET("/user")), staleTime: 60_000 });
}

/** The browsers in which the person is signed in, those seen last first. */
export function useSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: () => answerOf(waypost.GET("/user/sessions")) });
}
