import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { BookOpen, CircleUser, LogOut, Monitor, Moon, Palette, Sun } from "lucide-react";
import { useState } from "react";
import { signOut } from "../api/session.ts";
import { useUser } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { preferredTheme, saveTheme, type Theme, themes } from "../base/preferences.ts";
import { useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";

const themeIcons = { system: Monitor, light: Sun, dark: Moon };

/** The menu of the signed-in person. */
export function AccountMenu() {
  const { shell, settings } = useTexts();
  const { id } = useWorkspace();
  const { data: user } = useUser();
  const queries = useQueryClient();
  const { navigate } = useRouter();
  const notifyFailure = useNotifyFailure();
  const [theme, setTheme] = useState<Theme>(preferredTheme);
  const signOutHere = async () => {
    try {
      await signOut();
    } catch (error) {
      notifyFailure(error);
      return;
    }
    queries.clear();
    await navigate({ to: "/sign-in" });
  };
  return (
    <Menu
      align="start"
      className="w-56"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 font-medium text-muted hover:bg-sunken hover:text-ink"
        >
          <span className="sr-only">{shell.account}</span>
          {user === undefined ? (
            <CircleUser className="size-6 p-0.5" aria-hidden />
          ) : (
            <Avatar name={user.name} url={user.avatarUrl} className="size-6 text-[10px]" />
          )}
          <span dir="auto" className="hidden min-w-0 truncate md:inline">
            {user?.name}
          </span>
        </button>
      }
    >
      {user && (
        <div className="flex items-center gap-2.5 px-2.5 py-1.5">
          <Avatar name={user.name} url={user.avatarUrl} />
          <div className="min-w-0">
            <p className="truncate font-medium">{user.name}</p>
            <p className="truncate text-[13px] text-muted">{user.email}</p>
          </div>
        </div>
      )}
      <MenuItem asChild>
        <Link to="/w/$workspaceId/account" params={{ workspaceId: String(id) }}>
          <CircleUser aria-hidden />
          {settings.parts.profile}
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/w/$workspaceId/account/theme" params={{ workspaceId: String(id) }}>
          <Palette aria-hidden />
          {settings.parts.appearance}
        </Link>
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>{shell.theme}</MenuLabel>
      {themes.map((each) => {
        const Icon = themeIcons[each];
        return (
          <MenuItem
            key={each}
            onSelect={() => {
              saveTheme(each);
              setTheme(each);
            }}
          >
            <Icon aria-hidden />
            <span className={each === theme ? "font-semibold" : ""}>{shell.themes[each]}</span>
          </MenuItem>
        );
      })}
      <MenuSeparator />
      <MenuItem asChild>
        <a href="/docs" target="_blank" rel="noreferrer">
          <BookOpen aria-hidden />
          {shell.apiReference}
        </a>
      </MenuItem>
      <MenuItem onSelect={() => void signOutHere()}>
        <LogOut aria-hidden />
        {shell.signOut}
      </MenuItem>
    </Menu>
  );
}
