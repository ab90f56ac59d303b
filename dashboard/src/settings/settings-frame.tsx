import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Bell, Building2, CircleUser, KeyRound, Palette, ScrollText, ShieldCheck, Tags, Users } from "lucide-react";
import { useEffect, useRef } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { PageFrame } from "../ui/card.tsx";

/** TABLE of the settings: those of the workspace, and those of the person. */
const groups = [
  {
    title: "workspace",
    parts: [
      { to: "/w/$workspaceId/settings", text: "general", icon: Building2 },
      { to: "/w/$workspaceId/settings/members", text: "members", icon: Users },
      { to: "/w/$workspaceId/settings/keys", text: "keys", icon: KeyRound },
      { to: "/w/$workspaceId/settings/utm-templates", text: "utm", icon: Tags },
      { to: "/w/$workspaceId/settings/audit-log", text: "auditLog", icon: ScrollText },
    ],
  },
  {
    title: "you",
    parts: [
      { to: "/w/$workspaceId/account", text: "profile", icon: CircleUser },
      { to: "/w/$workspaceId/account/security", text: "security", icon: ShieldCheck },
      { to: "/w/$workspaceId/account/notifications", text: "notifications", icon: Bell },
      { to: "/w/$workspaceId/account/theme", text: "theme", icon: Palette },
    ],
  },
] as const;

/** The frame of all settings: the navigation is beside the content, or above it on a phone. */
export function SettingsFrame() {
  const { settings, shell } = useTexts();
  const { id } = useWorkspace();
  const { pathname } = useLocation();
  const parts = useRef<HTMLElement>(null);
  // On a phone the current entry may be outside the visible part of the row.
  useEffect(() => {
    parts.current?.querySelector(`[href$="${pathname}"]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname]);
  return (
    <PageFrame>
      <h1 className="flex min-h-9 items-center text-xl font-semibold tracking-tight">{shell.settings}</h1>
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-[14rem_minmax(0,1fr)] lg:gap-x-8">
        <nav
          ref={parts}
          aria-label={settings.navigation}
          data-scrolls-sideways
          className="scrollbar-none -mx-4 flex gap-6 overflow-x-auto px-4 pb-1 max-lg:border-b max-lg:border-line sm:-mx-6 sm:px-6 lg:mx-0 lg:flex-col lg:overflow-visible lg:px-0"
        >
          {groups.map(({ title, parts }) => (
            <div key={title} className="flex gap-1 lg:flex-col">
              <h2 className="hidden px-2.5 pb-1 text-xs font-medium text-faint lg:block">{settings[title]}</h2>
              {parts.map(({ to, text, icon: Icon }) => (
                <Link
                  key={text}
                  to={to}
                  params={{ workspaceId: String(id) }}
                  activeOptions={{ exact: true, includeSearch: false }}
                  activeProps={{ "aria-current": "page" }}
                  className="flex items-center gap-2.5 whitespace-nowrap rounded-lg lg:whitespace-normal px-2.5 py-1.5 font-medium text-muted transition-colors hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent"
                >
                  <Icon className="size-4 shrink-0" aria-hidden />
                  {settings.parts[text]}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <div className="grid min-w-0 content-start gap-5">
          <Outlet />
        </div>
      </div>
    </PageFrame>
  );
}
