import { z } from "zod";
import { browser, ownerKey, type TestServer } from "./server.ts";

/** The e-mail address and password of the owner of every test server. */
export const ownerSignIn = { email: "owner@example.com", password: "correct horse battery" };

/** What one of the dashboard's own operations came back with. */
export type DashboardAnswer = { status: number; headers: Headers; body: unknown };

/** A browser as the dashboard's pages use it: it keeps the session cookie and says the page's origin. */
export type Dashboard = {
  /** The cookie as it would be sent; "" when nobody is signed in. */
  cookie(): string;
  /** Sends to a path below /app, as a page of the dashboard or, with other headers, of somebody else. */
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<DashboardAnswer>;
  /** Opens a page, or posts its form, without following where that leads. */
  visit(path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  signIn(as?: { email: string; password: string }): Promise<DashboardAnswer>;
  /** Buys an access token. */
  token(): Promise<string>;
};

const Bought = z.strictObject({ token: z.string(), expiresAt: z.string() });

/** A browser in which nobody is signed in. */
export function openDashboard(server: TestServer, userAgent: string = browser["User-Agent"]): Dashboard {
  let cookie = "";
  const keepCookie = ({ headers }: Response): void => {
    const set = headers.get("set-cookie");
    if (set === null) return;
    const pair = set.split(";")[0] ?? "";
    cookie = pair.endsWith("=") ? "" : pair;
  };
  const request = async (path: string, init: RequestInit & { headers: Record<string, string> }) => {
    const own = { "User-Agent": userAgent, Origin: server.url, ...(cookie === "" ? {} : { Cookie: cookie }) };
    const all = Object.entries({ ...own, ...init.headers }).filter(([, value]) => value !== "");
    const response = await fetch(`${server.url}/app${path}`, {
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
    token: async () => Bought.parse((await send("POST", "/token")).body).token,
  };
}

/** A person with an account who belongs to a workspace of the owner's, by an invite taken in a browser of their own. */
export async function newPerson(server: TestServer, role: "owner" | "member" | "viewer" = "member") {
  const as = { email: `${crypto.randomUUID()}@example.com`, password: "a password of mine" };
  const { body } = await server.call("POST", "/workspaces/1/invites", { key: ownerKey, body: { role } });
  const path = new URL(z.object({ url: z.string() }).parse(body).url).pathname.replace(/^\/app/, "");
  const dashboard = openDashboard(server);
  await dashboard.visit(path, { name: "Ann", ...as });
  return { ...as, dashboard };
}
