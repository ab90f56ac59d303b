import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";

export type User = Schemas["User"];

export const userKey = ["user"] as const;
export const sessionsKey = ["user", "sessions"] as const;

/** Who is signed in. */
export function useUser() {
  return useQuery({ queryKey: userKey, queryFn: () => answerOf(waypost.GET("/user")), staleTime: 60_000 });
}

export function useSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: () => answerOf(waypost.GET("/user/sessions")) });
}
