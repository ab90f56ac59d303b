import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import { ownerPassword, ownerSignIn, watchPage } from "../dashboard.ts";
import { type MailServer, startMailServer } from "../mail-server.ts";
import { fillSampleWorkspace } from "../sample-workspace.ts";
import { eventually, startServer, type TestServer } from "../server.ts";

/** A page as it is pictured and looked at: its address, and what is done before. */
export type Pictured = {
  /** Below /app, or the address of another server. */
  path: string | ((world: PictureWorld) => string);
  /** The owner unless it says another. */
  by?: "nobody" | "viewer";
  /** It follows clicks, so that its connection is never idle. */
  isLive?: boolean;
  /** In any language that the dashboard speaks: see `says`. */
  prepare?(page: Page): Promise<void>;
};

/** A service with a workspace that has been in use for months, and what of it has an address of its own. */
export type PictureWorld = {
  server: TestServer;
  /** Of the link that is clicked most. */
  linkId: string;
  /** Of an archived link that nobody has clicked, in which every part is set and which was changed. */
  fullLinkId: string;
  /** Of a new workspace, in which nothing is. */
  emptyWorkspaceId: number;
  /** Of a page that is shared, and of one with a password; below /app. */
  share: string;
  lockedShare: string;
  /** By which the first account of a new service is set up. */
  setUpUrl: string;
  /** By which a password is set anew; below /app. */
  reset: string;
  /** Where an invitation is taken that is for whoever has it, and one for a single address; below /app. */
  invite: string;
  addressedInvite: string;
  close(): Promise<void>;
};

const password = "a password of mine";
const viewer = { email: "hello@studio-nord.example", password };

/** Opens the world. */
export async function openPictureWorld(): Promise<PictureWorld> {
  const mail = await startMailServer();
  const fresh = await startServer({ WAYPOST_BOOTSTRAP_EMAIL: "" });
  let server = await startServer({ ...ownerPassword, WAYPOST_SMTP_URL: mail.url });
  const close = async () => {
    await server.remove();
    await fresh.remove();
    await mail.close();
  };
  try {
    server = await fillSampleWorkspace(server);
    await join(server, "owner", { name: "Mira Okafor", email: "mira@kestrel.coffee", password });
    await join(server, "member", { name: "Jonas Lindqvist", email: "jonas@kestrel.coffee", password });
    await join(server, "viewer", { name: "Studio Nord", ...viewer });
    const linkId = await mostClicked(server);
    return {
      server,
      linkId,
      fullLinkId: await makeFullLink(server),
      emptyWorkspaceId: (await called(server, "POST /workspaces", WithNumber, { name: "Kestrel Events" })).id,
      share: await sharePath(server, { linkId, name: "The menu in the shops" }),
      lockedShare: await sharePath(server, { linkId, name: "For the agency", password: "open sesame" }),
      setUpUrl: await setUpUrl(fresh),
      reset: await mailedReset(server, mail),
      invite: await invitePath(server, { role: "member" }),
      addressedInvite: await invitePath(server, { role: "viewer", email: "press@kestrel.coffee" }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A page, and what should not have happened in it so far: see DashboardWorld. */
export type OpenedPage = { page: Page; complaints: string[] };

/** A browser in which the pages are opened in one way, by the owner and by others. */
export type PictureView = {
  open(pictured: Pictured): Promise<OpenedPage>;
  close(): Promise<void>;
};

/** Opens the view. */
export async function openPictureView(
  browser: Browser,
  world: PictureWorld,
  options: BrowserContextOptions,
): Promise<PictureView> {
  const { url } = world.server;
  // What is half faded in has too little contrast.
  const still = { ...options, reducedMotion: "reduce", timezoneId: "Europe/Berlin" } as const;
  const contextOf = async (data: object | null): Promise<BrowserContext> => {
    const context = await browser.newContext(still);
    if (data === null) return context;
    const answer = await context.request.post(`${url}/app/session`, { data, headers: { Origin: url } });
    if (!answer.ok()) throw new Error(`Signing in was refused: ${await answer.text()}`);
    return context;
  };
  const contexts = {
    owner: await contextOf(ownerSignIn),
    viewer: await contextOf(viewer),
    nobody: await contextOf(null),
  };
  return {
    async open({ path, by, isLive = false, prepare }) {
      const page = await contexts[by ?? "owner"].newPage();
      const asked = typeof path === "string" ? path : path(world);
      const address = asked.startsWith("/") ? `${url}/app${asked}` : asked;
      const complaints: string[] = [];
      watchPage(page, new URL(address).origin, complaints);
      await page.goto(address);
      if (!isLive) await page.waitForLoadState("networkidle");
      await prepare?.(page);
      return { page, complaints };
    },
    async close() {
      for (const context of Object.values(contexts)) await context.close();
    },
  };
}

const WithId = z.object({ id: z.string() });
const WithNumber = z.object({ id: z.number() });
const WithUrl = z.object({ url: z.string() });

/** Calls the API, and fails with its words where it refuses. */
async function called<Body>(server: TestServer, call: string, expected: z.ZodType<Body>, body?: object): Promise<Body> {
  const [method = "", path = ""] = call.split(" ");
  const answer = await server.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) throw new Error(`${call} was refused: ${JSON.stringify(answer.body)}`);
  return expected.parse(answer.body);
}

function belowApp(url: string): string {
  return new URL(url).pathname.replace(/^\/app/, "");
}

async function mostClicked(server: TestServer): Promise<string> {
  const [most] = await called(server, "GET /links?sortBy=clicks&pageSize=1", z.array(WithId));
  return most?.id ?? "";
}

async function makeFullLink(server: TestServer): Promise<string> {
  const url = "https://kestrel.coffee/shop/winter?utm_source=poster";
  const { id } = await called(server, "POST /links", WithId, {
    ...{ url, key: "winter", archived: true, comments: "Goes up in all shops on the first of December." },
    ...{ password: "open sesame", maxClicks: 5_000, expiresAt: "2027-03-01T00:00:00Z" },
    ...{ expiredUrl: "https://kestrel.coffee/shop", ios: "https://apps.apple.com/app/kestrel" },
    geo: { DE: "https://kestrel.coffee/de/winter", FR: "https://kestrel.coffee/fr/winter" },
    rules: [
      { when: { country: ["AT", "CH"], device: "Mobile" }, url: "https://kestrel.coffee/de/winter-app" },
      { when: { language: "fr" }, url: "https://kestrel.coffee/fr/winter" },
    ],
    trackConversion: true,
    testVariants: [
      { url, percentage: 60 },
      { url: "https://kestrel.coffee/shop/winter-b", percentage: 40 },
    ],
    ...{ proxy: true, title: "Winter roasts", description: "Dark, sweet, and only until March." },
  });
  for (const body of [{ maxClicks: 10_000 }, { title: "Winter roasts are here", comments: null }]) {
    await called(server, `PATCH /links/${id}`, WithId, body);
  }
  return id;
}

async function sharePath(server: TestServer, body: object): Promise<string> {
  return belowApp((await called(server, "POST /shares", WithUrl, body)).url);
}

/** By an invitation and its page, as people do. */
async function join(
  server: TestServer,
  role: string,
  as: { name: string; email: string; password: string },
): Promise<void> {
  const body = new URLSearchParams(as);
  const path = await invitePath(server, { role });
  const { status } = await fetch(`${server.url}/app${path}`, { method: "POST", body, redirect: "manual" });
  if (status !== 303) throw new Error(`${as.name} could not join: ${status}`);
}

async function invitePath(server: TestServer, body: object): Promise<string> {
  return belowApp((await called(server, "POST /workspaces/1/invites", WithUrl, body)).url);
}

/** Printed after the line by which the server is known to be ready. */
async function setUpUrl(server: TestServer): Promise<string> {
  const printed = async () => /https?:\/\/\S+(\/app\/setup\/\S+)\n/.exec(server.output())?.[1];
  return `${server.url}${await eventually(printed, (path) => path !== undefined)}`;
}

async function mailedReset({ url }: TestServer, mail: MailServer): Promise<string> {
  const headers = { "Content-Type": "application/json", Origin: url };
  const body = JSON.stringify({ email: ownerSignIn.email });
  await fetch(`${url}/app/password-reset`, { method: "POST", headers, body });
  const mailed = async () => /\/app(\/setup\/\w{40})/.exec(mail.received.at(-1)?.text ?? "")?.[1];
  return (await eventually(mailed, (path) => path !== undefined)) ?? "";
}
