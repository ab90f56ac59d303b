import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import { openBrowser } from "./browser.ts";
import { browser, connectionFor, type Environment, startServer, type TestServer, type TestService } from "./server.ts";
import { operate } from "./tenants.ts";

/** The e-mail address and password of the owner of a test server that was started with ownerPassword. */
export const ownerSignIn = { email: "owner@example.com", password: "correct horse battery" };

/** The environment of a test server whose owner can sign in. */
export const ownerPassword: Environment = { WAYPOST_BOOTSTRAP_PASSWORD: ownerSignIn.password };

/** The response of one of the dashboard's operations. */
type DashboardAnswer = { status: number; headers: Headers; body: unknown };

/** A client that behaves like the dashboard in a browser: it keeps the session cookie and sends the page's origin. */
export type Dashboard = {
  /** The cookie to send; "" when no user is signed in. */
  cookie(): string;
  /** Sends a request below /app, as a page of the dashboard or, with other headers, of another site. */
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<DashboardAnswer>;
  /** Opens a page, or posts its form, without following redirects. */
  visit(path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  signIn(as?: { email: string; password: string }): Promise<DashboardAnswer>;
  /** Requests an access token. */
  token(): Promise<string>;
};

type RequestOptions = Omit<RequestInit, "method" | "headers"> & { method: string; headers: Record<string, string> };

const TokenResponse = z.strictObject({ token: z.string(), expiresAt: z.string(), userId: z.string() });

/** A client without a session. */
export function openDashboard(server: TestService, userAgent: string = browser["User-Agent"]): Dashboard {
  let cookie = "";
  const keepCookie = ({ headers }: Response): void => {
    const set = headers.get("set-cookie");
    if (set === null) return;
    const pair = set.split(";")[0] ?? "";
    cookie = pair.endsWith("=") ? "" : pair;
  };
  const request = async (path: string, init: RequestOptions) => {
    const defaults = { "User-Agent": userAgent, Origin: server.url, ...(cookie === "" ? {} : { Cookie: cookie }) };
    const all = Object.entries({ ...defaults, ...init.headers }).filter(([, value]) => value !== "");
    const response = await fetch(`${server.url}/app${path}`, {
      ...connectionFor(init.method),
      ...init,
      headers: Object.fromEntries(all),
      redirect: "manual",
    });
    keepCookie(response);
    return response;
  };
  async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await request(path, { method, headers: { ...type, ...headers }, ...sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }
  return {
    cookie: () => cookie,
    send,
    async visit(path, form, headers = {}) {
      if (form === undefined) return await request(path, { method: "GET", headers: { Origin: "", ...headers } });
      return await request(path, { method: "POST", headers, body: new URLSearchParams(form) });
    },
    signIn: (as = ownerSignIn) => send("POST", "/session", as),
    token: async () => TokenResponse.parse((await send("POST", "/token")).body).token,
  };
}

/** A user with a verified account in the owner's workspace, signed in with another client. */
export async function newPerson(server: TestService, role: "owner" | "member" | "viewer" = "member") {
  const as = { email: `${crypto.randomUUID()}@example.com`, password: "a password of mine" };
  await operate(server, "user create", { email: as.email, name: "Ann", join: 1, role });
  await operate(server, "user password", as);
  const dashboard = openDashboard(server);
  await dashboard.signIn(as);
  return { ...as, dashboard };
}

/** Start-up time allowed for a browser, for the hook that opens a world. */
export const worldStartMsMax = 60_000;

/** A server and a real browser in which the dashboard is open. */
export type DashboardWorld = {
  server: TestServer;
  browser: Browser;
  /** A page with a signed-in owner, 1280 by 800 pixels, light, in English; still blank. */
  page: Page;
  /** The URL of a page of the first workspace, such as `/links?search=a`. */
  url(path: string): string;
  /** Another page with separate cookies; not signed in when `as` is null. */
  newPage(options?: BrowserContextOptions, as?: { email: string; password: string } | null): Promise<Page>;
  /**
   * Errors of all pages so far: script and console errors, violations of the Content-Security-Policy, requests to other
   * hosts. Refused requests are not errors.
   */
  pageErrors: string[];
  close(): Promise<void>;
};

/** Prepares a server before its pages are opened. Resolves with the server, which may have been restarted. */
export type Fill = (server: TestServer) => Promise<TestServer>;

/** Opens a server, a browser, and a page with a signed-in owner. */
export async function openDashboardWorld(
  environment: Environment = {},
  fill: Fill = async (server) => server,
): Promise<DashboardWorld> {
  const server = await fill(await startServer({ ...ownerPassword, ...environment }));
  const chromium = await openBrowser().catch(async (error: unknown) => {
    await server.remove();
    throw error;
  });
  const pageErrors: string[] = [];
  const newPage: DashboardWorld["newPage"] = async (options = {}, as = ownerSignIn) => {
    const desktop = { viewport: { width: 1280, height: 800 }, colorScheme: "light", locale: "en-US" } as const;
    // Elements that are fading in have too little contrast.
    const still = { reducedMotion: "reduce" } as const;
    const context = await chromium.newContext({ ...desktop, ...still, ...options });
    if (as !== null) {
      const headers = { Origin: server.url };
      const answer = await context.request.post(`${server.url}/app/session`, { data: as, headers });
      if (!answer.ok()) throw new Error(`Signing in was refused: ${await answer.text()}`);
    }
    const page = await context.newPage();
    watchPage(page, server.url, pageErrors);
    return page;
  };
  return {
    server,
    browser: chromium,
    page: await newPage(),
    url: (path) => `${server.url}/app/w/1${path}`,
    newPage,
    pageErrors,
    async close() {
      await chromium.close();
      await server.remove();
    },
  };
}

/** Collects the errors of a page: see DashboardWorld. */
export function watchPage(page: Page, origin: string, pageErrors: string[]): void {
  page.on("console", (message) => {
    const isRefusal = /^Failed to load resource: the server responded with a status of 4/.test(message.text());
    if (message.type() === "error" && !isRefusal) pageErrors.push(message.text());
  });
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) pageErrors.push(`a request to ${url}`);
  });
}

/** The violations that axe-core finds on a page, one per line, and whether the page scrolls sideways. */
export async function accessibilityErrorsOf(page: Page): Promise<string[]> {
  const violations = await axeViolationsOf(page, { iframes: false });
  const { width, window } = z
    .object({ width: z.number(), window: z.number() })
    .parse(await page.evaluate("({ width: document.documentElement.scrollWidth, window: innerWidth })"));
  return width > window ? [...violations, `${width} pixels in a window of ${window}`] : violations;
}

/** The contrast violations that axe-core finds, for a theme other than the fully checked one. */
export async function contrastErrorsOf(page: Page): Promise<string[]> {
  return await axeViolationsOf(page, { iframes: false, runOnly: ["color-contrast", "link-in-text-block"] });
}

async function axeViolationsOf(page: Page, options: RunOptions): Promise<string[]> {
  // A page keeps axe until it is left: sending and parsing its half megabyte takes a part of each run.
  if ((await page.evaluate("'axe' in window")) !== true) await page.evaluate(await readAxe());
  // The other results describe every element of the page.
  const run = JSON.stringify({ ...options, resultTypes: ["violations"] } satisfies RunOptions);
  const violations: AxeResults["violations"] = await page.evaluate(
    `axe.run(document, ${run}).then((all) => all.violations)`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function readAxe(): Promise<string> {
  return await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();
}
