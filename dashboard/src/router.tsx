import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { isSignedIn } from "./api/session.ts";
import { readWorkspaces, type Workspace, workspacesKey } from "./api/workspace.tsx";
import { readDomainSearch, readDomainsSearch } from "./domains/domain-search.ts";
import { prefetchList } from "./links/links-api.ts";
import { readLinksSearch } from "./links/links-search.ts";
import { readSearch } from "./reports/search.ts";
import { readKeysSearch, readMembersSearch } from "./settings/settings-search.ts";
import { ErrorPage, NotFoundPage } from "./shell/error-pages.tsx";
import { lastWorkspace } from "./shell/last-workspace.ts";
import { lazyPage } from "./shell/lazy-page.ts";
import { Shell } from "./shell/shell.tsx";
import { readSignInProblem, type SignInProblem } from "./sign-in/sign-in-problem.ts";
import { needsWelcome } from "./welcome/needs-welcome.ts";
import { readWelcomeSearch } from "./welcome/welcome-search.ts";

/** TABLE of pages. Each is loaded when it is opened; the first script has what they share. */

type Context = { queries: QueryClient };

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** The path below /app to open after signing in, and why signing in with the identity provider failed. */
type SignInSearch = { next?: string; problem?: SignInProblem };

const signInPage = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): SignInSearch => {
    const problem = readSignInProblem(search["problem"]);
    const next = search["next"];
    return { ...(isLocalPath(next) ? { next } : {}), ...(problem === undefined ? {} : { problem }) };
  },
  component: lazyPage(() => import("./sign-in/sign-in-page.tsx"), "SignInPage"),
});

const forgotPage = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyPage(() => import("./sign-in/forgot-page.tsx"), "ForgotPage"),
});

/** The pages that need a signed-in person. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  async beforeLoad({ location }) {
    if (await isSignedIn()) return;
    throw redirect({ to: "/sign-in", search: location.pathname === "/" ? {} : { next: location.href } });
  },
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  async beforeLoad({ context }) {
    const last = await workspaceToOpen(context.queries);
    if (last !== undefined) throw await redirectInto(last);
  },
  component: lazyPage(() => import("./shell/no-workspace-page.tsx"), "NoWorkspacePage"),
});

/** The link in mails about an account, which name no workspace. */
const securityLink = createRoute({
  getParentRoute: () => signedIn,
  path: "/account/security",
  async beforeLoad({ context }) {
    const last = await workspaceToOpen(context.queries);
    if (last === undefined) throw redirect({ to: "/" });
    throw redirect({ to: "/w/$workspaceId/account/security", params: { workspaceId: String(last.id) } });
  },
});

/** The workspace that was open last in this browser, or the first one; undefined for a person without any. */
async function workspaceToOpen(queries: QueryClient): Promise<Workspace | undefined> {
  const workspaces = await queries.ensureQueryData({ queryKey: workspacesKey, queryFn: readWorkspaces });
  return workspaces.find(({ id }) => id === lastWorkspace()) ?? workspaces[0];
}

/** The pages of one workspace, inside the shell. */
const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: "/w/$workspaceId",
  loader: ({ context }) => context.queries.ensureQueryData({ queryKey: workspacesKey, queryFn: readWorkspaces }),
  component: Shell,
  notFoundComponent: NotFoundPage,
});

/** The bare URL of a workspace; of one that the person does not belong to, the frame says that it is not found. */
const workspaceStart = createRoute({
  getParentRoute: () => workspace,
  path: "/",
  async beforeLoad({ context, params: { workspaceId } }) {
    const workspaces = await context.queries.ensureQueryData({ queryKey: workspacesKey, queryFn: readWorkspaces });
    const opened = workspaces.find(({ id }) => String(id) === workspaceId);
    if (opened !== undefined) throw await redirectInto(opened);
  },
});

/** Leads to the links of a workspace, or to its first run. */
async function redirectInto(workspace: Workspace) {
  const params = { workspaceId: String(workspace.id) };
  return (await needsWelcome(workspace))
    ? redirect({ to: "/w/$workspaceId/welcome", params })
    : redirect({ to: "/w/$workspaceId/links", params });
}

const linksPage = createRoute({
  getParentRoute: () => workspace,
  path: "/links",
  validateSearch: readLinksSearch,
  loader({ cause, context, params, location }) {
    if (cause === "enter") prefetchList(context.queries, Number(params.workspaceId), readLinksSearch(location.search));
  },
  component: lazyPage(() => import("./links/links-page.tsx"), "LinksPage"),
});

const analyticsPage = createRoute({
  getParentRoute: () => workspace,
  path: "/analytics",
  validateSearch: readSearch,
  component: lazyPage(() => import("./analytics/analytics-page.tsx"), "AnalyticsPage"),
});

const domainsPage = createRoute({
  getParentRoute: () => workspace,
  path: "/domains",
  validateSearch: readDomainsSearch,
  component: lazyPage(() => import("./domains/domains-page.tsx"), "DomainsPage"),
});

const domainPage = createRoute({
  getParentRoute: () => workspace,
  path: "/domains/$slug",
  validateSearch: readDomainSearch,
  component: lazyPage(() => import("./domains/domain-page.tsx"), "DomainPage"),
});

/** The frame of all settings: those of the workspace, and the person's own, which open inside the current workspace. */
const settings = createRoute({
  getParentRoute: () => workspace,
  id: "settings-frame",
  component: lazyPage(() => import("./settings/settings-frame.tsx"), "SettingsFrame"),
});

const settingsPages = [
  createRoute({
    getParentRoute: () => settings,
    path: "/settings",
    component: lazyPage(() => import("./settings/workspace-page.tsx"), "WorkspacePage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/settings/members",
    validateSearch: readMembersSearch,
    component: lazyPage(() => import("./settings/members-page.tsx"), "MembersPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/settings/keys",
    validateSearch: readKeysSearch,
    component: lazyPage(() => import("./settings/keys-page.tsx"), "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/settings/utm-templates",
    component: lazyPage(() => import("./settings/utm-page.tsx"), "UtmPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/settings/audit-log",
    component: lazyPage(() => import("./settings/audit-log-page.tsx"), "AuditLogPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/account",
    component: lazyPage(() => import("./account/profile-page.tsx"), "ProfilePage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/account/security",
    component: lazyPage(() => import("./account/security-page.tsx"), "SecurityPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/account/notifications",
    component: lazyPage(() => import("./account/notifications-page.tsx"), "NotificationsPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/account/theme",
    component: lazyPage(() => import("./account/appearance-page.tsx"), "AppearancePage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/administration/users",
    component: lazyPage(() => import("./administration/users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/administration/workspaces",
    component: lazyPage(() => import("./administration/workspaces-page.tsx"), "WorkspacesPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/administration/domains",
    component: lazyPage(() => import("./administration/domains-page.tsx"), "AllDomainsPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/administration/blocks",
    component: lazyPage(() => import("./administration/blocks-page.tsx"), "BlocksPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/administration/nodes",
    component: lazyPage(() => import("./administration/nodes-page.tsx"), "NodesPage"),
  }),
] as const;

const welcomePage = createRoute({
  getParentRoute: () => workspace,
  path: "/welcome",
  validateSearch: readWelcomeSearch,
  component: lazyPage(() => import("./welcome/welcome-page.tsx"), "WelcomePage"),
});

/** Shared analytics at a secret URL that needs no sign-in. */
const sharePage = createRoute({
  getParentRoute: () => root,
  path: "/shares/$token",
  validateSearch: readSearch,
  component: lazyPage(() => import("./share/share-page.tsx"), "SharePage"),
});

const pages = root.addChildren([
  signInPage,
  forgotPage,
  sharePage,
  signedIn.addChildren([
    start,
    securityLink,
    workspace.addChildren([
      ...[workspaceStart, linksPage, analyticsPage, domainsPage, domainPage, welcomePage],
      settings.addChildren(settingsPages),
    ]),
  ]),
]);

/** Creates the router of all pages. */
export function openRouter(queries: QueryClient) {
  return createRouter({
    routeTree: pages,
    basepath: "/app",
    context: { queries },
    defaultErrorComponent: ErrorPage,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof openRouter>;
  }
}

/** True for a path on this host: browsers read `//evil.example` as another host. */
function isLocalPath(path: unknown): path is string {
  return typeof path === "string" && /^\/(?![/\\])/.test(path);
}
