import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** The utm parameters, in the order in which people fill them in. */
export const utmNames = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
/** One of the utm parameters. */
export type UtmName = (typeof utmNames)[number];

/** Utm parameters that are kept under a name; null for one it does not give. */
export type UtmTemplate = Schemas["UtmTemplate"];

/** Where a workspace's templates are kept. */
export function utmTemplatesKey(workspaceId: number) {
  return [workspaceId, "utm-templates"] as const;
}

/** The workspace's templates. */
export function useUtmTemplates() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: utmTemplatesKey(id), queryFn: () => answerOf(api.GET("/utm-templates")) });
}
