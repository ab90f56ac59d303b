import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { BookOpen, CircleUser, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { signOut } from "../api/session.ts";
import { keepTheme, preferredTheme, type Theme, themes } from "../base/preferences.ts";
import { useTexts } from "../texts/texts.tsx";
import { Menu, MenuItem, MenuLabel, MenuLine } from "../ui/menu.tsx";

const themeIcons = { system: Monitor, light: Sun, dark: Moon };

/** What belongs to the person and not to the workspace. */
export function AccountMenu() {
  const { shell } = useTexts();
  const queries = useQueryClient();
  const { navigate } = useRouter();
  const [theme, setTheme] = useState<Theme>(preferredTheme);
  const leave = async () => {
    await signOut();
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
          aria-label={shell.account}
          className="flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 font-medium text-muted hover:bg-sunken hover:text-ink"
        >
          <CircleUser className="size-[18px] md:size-4" aria-hidden />
          <span className="hidden md:inline">{shell.account}</span>
        </button>
      }
    >
      <MenuLabel>{shell.theme}</MenuLabel>
      {themes.map((each) => {
        const Icon = themeIcons[each];
        return (
          <MenuItem
            key={each}
            onSelect={() => {
              keepTheme(each);
              setTheme(each);
            }}
          >
            <Icon aria-hidden />
            <span className={each === theme ? "font-semibold" : ""}>{shell.themes[each]}</span>
          </MenuItem>
        );
      })}
      <MenuLine />
      <MenuItem asChild>
        <a href="/docs" target="_blank" rel="noreferrer">
          <BookOpen aria-hidden />
          {shell.apiReference}
        </a>
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden />
        {shell.signOut}
      </MenuItem>
    </Menu>
  );
}
