import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Download } from "lucide-react";
import { WaypostError } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { pickSaveTarget } from "../base/save-file.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import type { AuditFilter } from "./audit-filter.ts";

type Format = "csv" | "jsonl";

/** A menu that saves all matching entries as a file. */
export function AuditDownload({ filter }: { filter: AuditFilter }) {
  const { auditLog } = useTexts();
  const download = useDownload(filter);
  return (
    <Menu
      trigger={
        <Button isBusy={download.isPending}>
          {!download.isPending && <Download aria-hidden />}
          {auditLog.download}
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <MenuItem onSelect={() => download.mutate("csv")}>{auditLog.csv}</MenuItem>
      <MenuItem onSelect={() => download.mutate("jsonl")}>{auditLog.jsonl}</MenuItem>
    </Menu>
  );
}

function useDownload(filter: AuditFilter) {
  const { api, id } = useWorkspace();
  const { auditLog } = useTexts();
  const notify = useNotify();
  return useMutation({
    async mutationFn(format: Format) {
      const target = await pickSaveTarget(`audit-log-${new Date().toISOString().slice(0, 10)}.${format}`);
      if (target === undefined) return;
      const params = { path: { workspaceId: id }, query: { ...filter, format } };
      const answer = await api.GET("/workspaces/{workspaceId}/audit-log/export", { params, parseAs: "stream" });
      if (!answer.data) throw WaypostError.from(answer.response, answer.error);
      await target.write(answer.data, new AbortController().signal);
      notify({ kind: "done", text: auditLog.downloaded(target.name) });
    },
    onError: useNotifyFailure(),
  });
}
