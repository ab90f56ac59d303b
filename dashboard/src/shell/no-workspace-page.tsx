import { Building2 } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { CenteredPage } from "../ui/centered-page.tsx";
import { Empty } from "../ui/states.tsx";
import { NewWorkspaceButton } from "./new-workspace.tsx";

/** The page for a user without a workspace. */
export function NoWorkspacePage() {
  const { shell } = useTexts();
  return (
    <CenteredPage>
      <Empty isHeading className="px-0 py-3" icon={Building2} title={shell.noWorkspace} action={<NewWorkspaceButton />}>
        {shell.noWorkspaceHint}
      </Empty>
    </CenteredPage>
  );
}
