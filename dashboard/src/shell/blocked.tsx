import { useLocation } from "@tanstack/react-router";
import { Ban } from "lucide-react";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useBlocks } from "../api/blocks.ts";
import { signOut } from "../api/session.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { CenteredPage } from "../ui/centered-page.tsx";
import { Empty } from "../ui/states.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";

/** True for the refusal of a list that every signed-in person may read, unless the account is blocked. */
export function isAccountRefused(error: unknown): boolean {
  return error instanceof WaypostError && error.code === "forbidden";
}

/** The pages of a workspace; that it or the account is blocked, where the operator has done so. */
export function UnlessBlocked({ children }: { children: ReactNode }) {
  const { blocked } = useTexts().shell;
  const { data = [], error } = useBlocks();
  // What is the person's own works in a blocked workspace, too.
  const isOwnPage = useLocation({ select: ({ pathname }) => /\/w\/[^/]+\/account(\/|$)/.test(pathname) });
  if (isAccountRefused(error)) return <AccountBlocked />;
  if (isOwnPage || !data.some(({ kind }) => kind === "workspace")) return children;
  return (
    <Empty isHeading icon={Ban} title={blocked.workspaceTitle} className="min-h-[60dvh] content-center">
      {blocked.hint}
    </Empty>
  );
}

/** The page of a person whose account is blocked before any workspace is shown. */
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
  // The whole page is left, so that nothing read before stays in memory.
  const leave = () => signOut().then(() => location.assign("/app/sign-in"), notifyFailure);
  return (
    <Empty
      isHeading
      icon={Ban}
      title={shell.blocked.accountTitle}
      action={<Button onClick={() => void leave()}>{shell.signOut}</Button>}
    >
      {shell.blocked.hint}
    </Empty>
  );
}
