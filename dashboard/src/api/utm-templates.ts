import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** Named UTM parameters; null for a parameter that is not set. */
export type UtmTemplate = Schemas["UtmTemplate"];

/** Query key of a workspace's templates. */
export function utmTemplatesKey(workspaceId: number) {
  return [workspaceId, "utm-templates"] as const;
}

/** Reads the workspace's templates. */
export function useUtmTemplates() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: utmTemplatesKey(id), queryFn: () => answerOf(api.GET("/utm-templates")) });
}
