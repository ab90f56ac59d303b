import { useMemo } from "react";
import { type Member, useMembers } from "../api/members.ts";

/** The creator of a link, or of a change of it. */
export type Creator = { name: string; avatarUrl: string | null };

/** The members by user id; empty in a workspace with one member, who created every link. */
export function useCreators(): ReadonlyMap<string, Creator> {
  const { data: members } = useMembers();
  return useMemo(() => {
    const shown = members !== undefined && members.length > 1 ? members : [];
    return new Map(shown.map((member) => [member.userId, creatorOf(member)]));
  }, [members]);
}

function creatorOf({ userId, name, email, avatarUrl }: Member): Creator {
  return { name: name === "" ? (email ?? userId) : name, avatarUrl };
}
