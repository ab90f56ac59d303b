import { useNavigate } from "@tanstack/react-router";
import {
  Bell,
  Bookmark,
  Building2,
  ChartColumn,
  CircleUser,
  Folder,
  Globe,
  Keyboard,
  KeyRound,
  Languages,
  Link2,
  type LucideIcon,
  Monitor,
  Moon,
  Palette,
  Plus,
  ScrollText,
  ShieldCheck,
  Sun,
  Tags,
  UserPlus,
  Users,
} from "lucide-react";
import { useWorkspace, useWorkspaces } from "../api/workspace.tsx";
import { languageNames, languages } from "../base/languages.ts";
import { saveTheme, type Theme, themes } from "../base/preferences.ts";
import { localPath } from "../base/url-text.ts";
import { useKeyboardHelp } from "../keyboard/keyboard-help.tsx";
import { useFolders } from "../links/links-api.ts";
import { searchOfView } from "../links/links-search.ts";
import { useSavedViews } from "../links/saved-views.ts";
import { useSetLanguage, useTexts } from "../texts/texts.tsx";

/** An entry of the palette. */
export type Entry = {
  id: string;
  text: string;
  icon: LucideIcon;
  /** The URL of a picture, shown instead of the icon. */
  image?: string;
  run(): void;
  hint?: string;
  /** A line below the text. */
  detail?: string;
  /** Other words by which the entry is found. */
  keywords?: string[];
  /** The shortcut that does the same. */
  keys?: string;
};
/**
 * A group of entries. A rare one is only shown when its entries match a search, and one of lists stands above the links
 * that are in them.
 */
export type EntryGroup = { title: string; entries: Entry[]; isRare?: boolean; areLists?: boolean };

const themeIcons: Record<Theme, LucideIcon> = { system: Monitor, light: Sun, dark: Moon };

/** TABLE of the pages of a workspace. */
const pages = [
  { to: "/w/$workspaceId/links", part: "shell", text: "links", icon: Link2 },
  { to: "/w/$workspaceId/analytics", part: "shell", text: "analytics", icon: ChartColumn },
  { to: "/w/$workspaceId/domains", part: "shell", text: "domains", icon: Globe },
  { to: "/w/$workspaceId/settings", part: "settings", text: "general", icon: Building2 },
  { to: "/w/$workspaceId/settings/members", part: "settings", text: "members", icon: Users },
  { to: "/w/$workspaceId/settings/keys", part: "settings", text: "keys", icon: KeyRound },
  { to: "/w/$workspaceId/settings/utm-templates", part: "settings", text: "utm", icon: Tags },
  { to: "/w/$workspaceId/settings/audit-log", part: "settings", text: "auditLog", icon: ScrollText },
  { to: "/w/$workspaceId/account", part: "settings", text: "profile", icon: CircleUser },
  { to: "/w/$workspaceId/account/security", part: "settings", text: "security", icon: ShieldCheck },
  { to: "/w/$workspaceId/account/notifications", part: "settings", text: "notifications", icon: Bell },
  { to: "/w/$workspaceId/account/theme", part: "settings", text: "appearance", icon: Palette },
] as const;

/** The entries that need no search: the actions the person may take, and the pages. */
export function useEntries(): EntryGroup[] {
  const { shell, links } = useTexts();
  return [
    { title: shell.palette.actions, entries: useActions() },
    { title: shell.palette.pages, entries: usePages() },
    { title: shell.sidebar.folders, entries: useFolderEntries(), isRare: true, areLists: true },
    { title: links.views.title, entries: useViews(), isRare: true, areLists: true },
    { title: shell.workspaces, entries: useOtherWorkspaces() },
    { title: shell.theme, entries: useThemes(), isRare: true },
    { title: shell.language, entries: useLanguages(), isRare: true },
  ].filter(({ entries }) => entries.length > 0);
}

function useActions(): Entry[] {
  const { palette, keyboard } = useTexts().shell;
  const openHelp = useKeyboardHelp();
  const { id, canWrite, isOwner } = useWorkspace();
  const navigate = useNavigate();
  const params = { workspaceId: String(id) };
  const help: Entry = { id: "keyboard-help", text: keyboard.title, keys: "?", icon: Keyboard, run: openHelp };
  if (!canWrite) return [help];
  return [
    {
      id: "create-link",
      text: palette.createLink,
      icon: Plus,
      run: () => void navigate({ to: "/w/$workspaceId/links", params, search: { create: true } }),
    },
    {
      id: "add-domain",
      text: palette.addDomain,
      icon: Globe,
      run: () => void navigate({ to: "/w/$workspaceId/domains", params, search: { add: true } }),
    },
    {
      id: "new-key",
      text: palette.newKey,
      icon: KeyRound,
      run: () => void navigate({ to: "/w/$workspaceId/settings/keys", params, search: { add: true } }),
    },
    ...(isOwner
      ? [
          {
            id: "invite",
            text: palette.invite,
            icon: UserPlus,
            run: () => void navigate({ to: "/w/$workspaceId/settings/members", params, search: { invite: true } }),
          },
        ]
      : []),
    help,
  ];
}

function usePages(): Entry[] {
  const { shell, settings, security, passkeys, notifications } = useTexts();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  /** The titles of the cards of long pages, which people search for. */
  const cards: { [text in (typeof pages)[number]["text"]]?: string[] } = {
    general: [settings.retention, settings.deleteWorkspace],
    members: [settings.invites],
    security: [settings.password, passkeys.title, security.title, settings.sessions],
    notifications: Object.values(notifications.kinds),
  };
  return pages.map((page) => ({
    id: `page ${page.text}`,
    text: page.part === "shell" ? shell[page.text] : settings.parts[page.text],
    ...(page.part === "settings" && { hint: shell.settings }),
    keywords: cards[page.text] ?? [],
    icon: page.icon,
    run: () => void navigate({ to: page.to, params: { workspaceId: String(id) } }),
  }));
}

/** The folders; each opens the list of its links. */
function useFolderEntries(): Entry[] {
  const { id } = useWorkspace();
  const { data: folders = [] } = useFolders();
  const navigate = useNavigate();
  return folders.map(({ id: folder, name }, index) => ({
    id: `folder ${index}`,
    text: name,
    icon: Folder,
    run: () => void navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) }, search: { folder } }),
  }));
}

/** The saved views, each with the folder that it shows, or the workspace. */
function useViews(): Entry[] {
  const { id, name: workspace } = useWorkspace();
  const { data: views = [] } = useSavedViews();
  const { data: folders = [] } = useFolders();
  const navigate = useNavigate();
  return views.map(({ name, query }, index) => {
    const search = searchOfView(query);
    const folder = folders.find((each) => each.id === search.folder)?.name;
    return {
      // The palette also searches ids, and the letters of a view's own id would match many texts.
      id: `view ${index}`,
      text: name,
      detail: folder ?? workspace,
      ...(folder !== undefined && { keywords: [folder] }),
      icon: Bookmark,
      run: () => void navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) }, search }),
    };
  });
}

function useOtherWorkspaces(): Entry[] {
  const { palette } = useTexts().shell;
  const { id: current } = useWorkspace();
  const { data: workspaces = [] } = useWorkspaces();
  const navigate = useNavigate();
  return workspaces
    .filter(({ id }) => id !== current)
    .map(({ id, name, avatar_url }) => ({
      id: `workspace ${id}`,
      text: palette.toWorkspace(name),
      icon: Building2,
      image: localPath(avatar_url),
      run: () => void navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) } }),
    }));
}

function useThemes(): Entry[] {
  const { shell } = useTexts();
  return themes.map((theme) => ({
    id: `theme ${theme}`,
    text: shell.palette.themeOf(shell.themes[theme]),
    icon: themeIcons[theme],
    run: () => saveTheme(theme),
  }));
}

function useLanguages(): Entry[] {
  const { shell } = useTexts();
  const setLanguage = useSetLanguage();
  return languages.map((language) => ({
    id: `language ${language}`,
    text: shell.palette.languageOf(languageNames[language]),
    icon: Languages,
    run: () => void setLanguage(language),
  }));
}
