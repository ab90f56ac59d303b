import { Link } from "@tanstack/react-router";
import { useIsAdministrator } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Says where to learn the reason of a block: administrators follow a link, others ask the operator. */
export function BlockReason() {
  const { blocked } = useTexts().shell;
  const { id } = useWorkspace();
  if (!useIsAdministrator()) return blocked.askForReason;
  return (
    <Link
      to="/w/$workspaceId/administration/blocks"
      params={{ workspaceId: String(id) }}
      className="relative font-medium underline"
    >
      {blocked.openBlocks}
    </Link>
  );
}
