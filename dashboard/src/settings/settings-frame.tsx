import { Link, Outlet, useLocation } from "@tanstack/react-router";
import {
  Ban,
  Bell,
  Boxes,
  Building2,
  CircleUser,
  Globe,
  KeyRound,
  Palette,
  ScrollText,
  Server,
  ShieldCheck,
  Tags,
  UserCog,
  Users,
} from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import { useUser } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { PageFrame } from "../ui/card.tsx";
import { useFadedEdges } from "../ui/use-faded-edges.ts";
import { AdministrationGate } from "./administration-gate.tsx";

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
      { to: "/w/$workspaceId/account/theme", text: "appearance", icon: Palette },
    ],
  },
] as const;

/** TABLE of the pages about the whole instance, which only its administrators see. */
const administrationParts = [
  { to: "/w/$workspaceId/administration/users", text: "users", icon: UserCog },
  { to: "/w/$workspaceId/administration/workspaces", text: "workspaces", icon: Boxes },
  { to: "/w/$workspaceId/administration/domains", text: "domains", icon: Globe },
  { to: "/w/$workspaceId/administration/blocks", text: "blocks", icon: Ban },
  { to: "/w/$workspaceId/administration/nodes", text: "nodes", icon: Server },
] as const;

const linkClass =
  "flex items-center gap-2.5 whitespace-nowrap rounded-lg lg:whitespace-normal px-2.5 py-1.5 font-medium text-muted transition-colors hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent";

/** The frame of all settings: the navigation is beside the content, or above it on a phone. */
export function SettingsFrame() {
  const { settings, shell } = useTexts();
  const { id } = useWorkspace();
  const { pathname } = useLocation();
  const { data: user } = useUser();
  const parts = useRef<HTMLElement>(null);
  const fadedEdges = useFadedEdges();
  const attach = useCallback(
    (element: HTMLElement | null) => {
      parts.current = element;
      return fadedEdges(element);
    },
    [fadedEdges],
  );
  const isAdministrator = user?.isAdministrator === true;
  // On a phone the current entry may be outside the visible part of the row. The administrator's entries come later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries in the row depend on it.
  useEffect(() => {
    parts.current?.querySelector(`[href$="${pathname}"]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname, isAdministrator]);
  return (
    <PageFrame>
      <h1 className="flex min-h-9 items-center text-xl font-semibold tracking-tight">{shell.settings}</h1>
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-[14rem_minmax(0,1fr)] lg:gap-x-8">
        <nav
          ref={attach}
          aria-label={settings.navigation}
          data-scrolls-sideways
          className="scrollbar-none -mx-4 flex gap-6 overflow-x-auto px-4 pb-1 max-lg:border-b max-lg:border-line max-lg:data-[before=true]:mask-l-from-85% max-lg:data-[after=true]:mask-r-from-85% sm:-mx-6 sm:px-6 lg:mx-0 lg:flex-col lg:overflow-visible lg:px-0"
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
                  className={linkClass}
                >
                  <Icon className="size-4 shrink-0" aria-hidden />
                  {settings.parts[text]}
                </Link>
              ))}
            </div>
          ))}
          {isAdministrator && <AdministrationParts />}
        </nav>
        <div className="grid min-w-0 content-start gap-5">
          <AdministrationGate>
            <Outlet />
          </AdministrationGate>
        </div>
      </div>
    </PageFrame>
  );
}

function AdministrationParts() {
  const { administration } = useTexts();
  const { id } = useWorkspace();
  return (
    <div className="flex gap-1 lg:flex-col">
      <h2 className="hidden px-2.5 pb-1 text-xs font-medium text-faint lg:block">{administration.title}</h2>
      {administrationParts.map(({ to, text, icon: Icon }) => (
        <Link
          key={text}
          to={to}
          params={{ workspaceId: String(id) }}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
          className={linkClass}
        >
          <Icon className="size-4 shrink-0" aria-hidden />
          {administration[text]}
        </Link>
      ))}
    </div>
  );
}
