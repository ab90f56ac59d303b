import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useWorkspaceDetails, workspaceDetailsKey } from "../api/workspace-details.ts";
import { type QrStyle, savedStyleOf, styleOf, usualStyle } from "./qr-style.ts";

/** The style of a dialog: the workspace's until the person chooses another; undefined while it is being read. */
export function useQrStyle(): [QrStyle | undefined, (style: QrStyle) => void] {
  const { data, error } = useWorkspaceDetails();
  const [chosen, choose] = useState<QrStyle>();
  return [chosen ?? startingStyle(data?.qrStyle, error !== null), choose];
}

/** A workspace whose style cannot be read starts with the usual one: codes can be drawn without it. */
function startingStyle(saved: Parameters<typeof styleOf>[0] | null | undefined, hasFailed: boolean) {
  if (saved === undefined) return hasFailed ? usualStyle : undefined;
  return saved === null ? usualStyle : styleOf(saved);
}

/** Saves a style as the workspace's. */
export function useQrStyleSave() {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn(style: QrStyle) {
      const body = { qrStyle: savedStyleOf(style) };
      return answerOf(api.PATCH("/workspaces/{workspaceId}", { params: { path: { workspaceId: id } }, body }));
    },
    onSuccess: (workspace) => queries.setQueryData(workspaceDetailsKey(id), workspace),
  });
}
