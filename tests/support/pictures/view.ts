import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { ownerSignIn, watchPage } from "../dashboard.ts";
import { administrator, formerMember, type Picture, type PictureWorld, viewer } from "./world.ts";

/** An open page and its errors: see DashboardWorld. */
export type OpenedPage = { page: Page; pageErrors: string[] };

/** A browser that opens pages in one view, as any of the users. */
type PictureView = {
  open(picture: Picture): Promise<OpenedPage>;
  close(): Promise<void>;
};

/** Opens the view. */
export async function openPictureView(
  browser: Browser,
  world: PictureWorld,
  options: BrowserContextOptions,
): Promise<PictureView> {
  // The host of WAYPOST_URL, on which alone passkeys work.
  const url = world.server.url.replace("127.0.0.1", "localhost");
  // Elements that are fading in have too little contrast.
  const still = { ...options, reducedMotion: "reduce", timezoneId: "Europe/Berlin" } as const;
  const contextOf = async (data: object | null): Promise<BrowserContext> => {
    const context = await browser.newContext(still);
    // A page that follows changes is never idle; a refused stream is not opened again.
    await context.route("**/v1/changes/live*", (route) => route.fulfill({ status: 403, json: {} }));
    if (data === null) return context;
    const answer = await context.request.post(`${url}/app/session`, { data, headers: { Origin: url } });
    if (!answer.ok()) throw new Error(`Signing in was refused: ${await answer.text()}`);
    return context;
  };
  const contextWith = async (cookie: string): Promise<BrowserContext> => {
    const context = await contextOf(null);
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url }]);
    return context;
  };
  const contexts = {
    owner: await contextOf(ownerSignIn),
    viewer: await contextOf(viewer),
    formerMember: await contextOf(formerMember),
    administrator: await contextOf(administrator),
    secured: await contextWith(world.securedCookie),
    nobody: await contextOf(null),
  };
  return {
    async open({ path, by, isLive = false, prepare }) {
      const page = await contexts[by ?? "owner"].newPage();
      const requested = typeof path === "string" ? path : path(world);
      const address = requested.startsWith("/") ? `${url}/app${requested}` : requested;
      const pageErrors: string[] = [];
      watchPage(page, new URL(address).origin, pageErrors);
      await page.goto(address);
      // On a busy machine the network is idle for a moment before the first script runs.
      await page.getByRole("main").first().waitFor();
      if (!isLive) await page.waitForLoadState("networkidle");
      await prepare?.(page, world);
      // A page is briefly idle before it requests its data; until that arrives it shows placeholders.
      await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
      return { page, pageErrors };
    },
    async close() {
      for (const context of Object.values(contexts)) await context.close();
    },
  };
}

/** Several pages open at once, because pages mostly wait for the server. */
const pagesAtOnce = 3;

/** Visits pages, a few at once. */
export async function eachOf(
  pages: Record<string, Picture>,
  act: (name: string, picture: Picture) => Promise<void>,
): Promise<void> {
  const waiting = Object.entries(pages);
  const takeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(...next);
  };
  await Promise.all(Array.from({ length: pagesAtOnce }, takeNext));
}
