import { useLocation } from "@tanstack/react-router";
import { Ban } from "lucide-react";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useBlocks } from "../api/blocks.ts";
import { signOut } from "../api/session.ts";
import { useOneTimeCodes } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { BlockReason } from "../ui/block-reason.tsx";
import { Button } from "../ui/button.tsx";
import { CenteredPage } from "../ui/centered-page.tsx";
import { SecondFactorNeeded } from "../ui/second-factor-needed.tsx";
import { Empty } from "../ui/states.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";

/** True when a list is refused that every signed-in person may read: the account is blocked. */
export function isAccountRefused(error: unknown): boolean {
  return error instanceof WaypostError && error.code === "forbidden";
}

/** Shows the pages of a workspace, or that the operator has blocked it or the account. */
export function UnlessBlocked({ children }: { children: ReactNode }) {
  const { blocked } = useTexts().shell;
  const { data = [], error } = useBlocks();
  // The person's own settings and the administration work in a blocked workspace too.
  const isOwnPage = useLocation({ select: ({ pathname }) => /\/w\/[^/]+\/account(\/|$)/.test(pathname) });
  const isAdministration = useLocation({
    select: ({ pathname }) => /\/w\/[^/]+\/administration(\/|$)/.test(pathname),
  });
  // The same element in both states: the dialog that sets up the second factor stays open when the workspace opens.
  if (isOwnPage) return <OwnPage isRefused={isAccountRefused(error)}>{children}</OwnPage>;
  if (isAccountRefused(error)) return <Refused />;
  if (isAdministration || !data.some(({ kind }) => kind === "workspace")) return children;
  return (
    <Empty isHeading icon={Ban} title={blocked.workspaceTitle} className="min-h-[60dvh] content-center">
      {blocked.hint} <BlockReason />
    </Empty>
  );
}

/** The person's own settings, which work without the second factor that the workspace requires. */
function OwnPage({ isRefused, children }: { isRefused: boolean; children: ReactNode }) {
  const { error } = useOneTimeCodes();
  return isRefused && isAccountRefused(error) ? <AccountBlocked /> : children;
}

/** The API refuses the workspace to a session without a second factor, and the account itself when it is blocked. */
function Refused() {
  const { security } = useTexts();
  const { id } = useWorkspace();
  const { isSuccess, error } = useOneTimeCodes();
  if (isAccountRefused(error)) return <AccountBlocked />;
  if (!isSuccess) return null;
  return <SecondFactorNeeded workspaceId={id} text={security.requiredText} className="min-h-[60dvh] content-center" />;
}

/** Shown to a person with a blocked account before any workspace. */
export function AccountBlockedPage() {
  return (
    <CenteredPage>
      <AccountBlocked />
    </CenteredPage>
  );
}

function AccountBlocked() {
  const { shell } = useTexts();
  const notifyFailure = useNotifyFailure();
  // Reloads the page, so that no data stays in memory.
  const leave = () => signOut().then(() => location.assign("/app/sign-in"), notifyFailure);
  return (
    <Empty
      isHeading
      icon={Ban}
      title={shell.blocked.accountTitle}
      action={<Button onClick={() => void leave()}>{shell.signOut}</Button>}
    >
      {shell.blocked.hint} {shell.blocked.askForReason}
    </Empty>
  );
}
