import { useMemo } from "react";
import { useMembers } from "../api/members.ts";

/** The names of members by user id; empty in a workspace with one member, who created every link. */
export function useCreators(): ReadonlyMap<string, string> {
  const { data: members } = useMembers();
  return useMemo(() => {
    const shown = members !== undefined && members.length > 1 ? members : [];
    return new Map(shown.map(({ userId, name, email }) => [userId, name === "" ? (email ?? userId) : name]));
  }, [members]);
}
