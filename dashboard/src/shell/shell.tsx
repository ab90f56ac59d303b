import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { ChartColumn, Globe, Link2, Settings } from "lucide-react";
import { useEffect } from "react";
import { useWorkspaces, WorkspaceProvider } from "../api/workspace.tsx";
import { useWorkspaceChanges } from "../api/workspace-changes.ts";
import { FailingDomainsNote } from "../domains/failing-domains-note.tsx";
import { KeyboardHelpProvider } from "../keyboard/keyboard-help.tsx";
import { PaletteButton } from "../palette/palette-button.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Logo } from "../ui/logo.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { UnlessBlocked } from "./blocked.tsx";
import { ClickLossesNote } from "./click-losses-note.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { NotFoundPage } from "./error-pages.tsx";
import { ExampleNote } from "./example-note.tsx";
import { IsFramed } from "./is-framed.ts";
import { saveLastWorkspace } from "./last-workspace.ts";
import { Sidebar } from "./sidebar.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

/** TABLE of the main navigation. */
const entries = [
  { to: "/w/$workspaceId/links", text: "links", icon: Link2 },
  { to: "/w/$workspaceId/analytics", text: "analytics", icon: ChartColumn },
  { to: "/w/$workspaceId/domains", text: "domains", icon: Globe },
  { to: "/w/$workspaceId/settings", text: "settings", icon: Settings },
] as const;

/** The pages of the settings; those of the account and the administration have separate paths. */
const settingsPath = /\/w\/[^/]+\/(settings|account|administration)(\/|$)/;

/** The frame around the pages of a workspace: the navigation is at the left, or at the bottom of a phone. */
export function Shell() {
  const { shell } = useTexts();
  const { workspaceId } = useParams({ from: "/signed-in/w/$workspaceId" });
  const { data: workspaces } = useWorkspaces();
  const workspace = workspaces?.find(({ id }) => String(id) === workspaceId);
  useEffect(() => {
    if (workspace !== undefined) saveLastWorkspace(workspace.id);
  }, [workspace]);
  if (workspace === undefined) return <NotFoundPage />;
  return (
    <WorkspaceProvider workspace={workspace}>
      <a
        href="#page"
        className="fixed left-2 top-2 z-50 -translate-y-20 rounded-lg bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        {shell.skip}
      </a>
      <KeyboardHelpProvider>
        <div className="md:grid md:min-h-dvh md:grid-cols-[15rem_minmax(0,1fr)]">
          <aside className="sticky top-0 z-30 flex items-center gap-1 border-b border-line bg-surface p-2 md:h-dvh md:flex-col md:items-stretch md:gap-3 md:border-b-0 md:border-r md:p-3">
            <Logo className="hidden px-2 pt-1 md:flex" />
            <WorkspaceSwitcher />
            <PaletteButton />
            <div className="contents md:-mx-3 md:flex md:min-h-0 md:grow md:flex-col md:gap-4 md:overflow-y-auto md:px-3">
              <Navigation workspaceId={workspaceId} />
              <div className="hidden gap-4 md:grid md:grid-cols-1">
                <Sidebar />
              </div>
            </div>
            <div>
              <AccountMenu />
            </div>
          </aside>
          <main id="page" tabIndex={-1} className="min-w-0 pb-20 outline-none md:pb-8">
            <ConnectionBar />
            <FollowChanges />
            <ExampleNote />
            <ClickLossesNote />
            <FailingDomainsNote />
            {/* The key resets page state when the workspace changes. */}
            <IsFramed key={workspace.id} value={true}>
              <UnlessBlocked>
                <Outlet />
              </UnlessBlocked>
            </IsFramed>
          </main>
        </div>
      </KeyboardHelpProvider>
    </WorkspaceProvider>
  );
}

/** Keeps lists up to date; a component, since the workspace is known only inside its provider. */
function FollowChanges() {
  useWorkspaceChanges();
  return null;
}

function Navigation({ workspaceId }: { workspaceId: string }) {
  const { shell } = useTexts();
  const isInSettings = useLocation({ select: ({ pathname }) => settingsPath.test(pathname) });
  return (
    <nav
      aria-label={shell.navigation}
      className="fixed inset-x-0 bottom-0 z-30 grid grid-cols-4 border-t border-line bg-surface md:static md:grid-cols-1 md:gap-0.5 md:border-0"
    >
      {entries.map(({ to, text, icon: Icon }) => (
        <Link
          key={text}
          to={to}
          params={{ workspaceId }}
          activeProps={{ "aria-current": "page" }}
          {...(text === "settings" && isInSettings && { "aria-current": "page" })}
          className="flex flex-col items-center gap-1 px-1 py-2 text-[11px] font-medium text-muted transition-colors hover:text-ink aria-[current]:text-accent md:flex-row md:gap-2.5 md:rounded-lg md:px-2.5 md:text-sm md:hover:bg-sunken md:aria-[current]:bg-accent-soft"
        >
          <Icon className="size-[18px] md:size-4" aria-hidden />
          {shell[text]}
        </Link>
      ))}
    </nav>
  );
}
