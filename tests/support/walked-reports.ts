import type { Locator, Page } from "playwright-core";
import type { Click } from "../../src/clicks/click.ts";
import { storeDestinationIcon } from "./destination-icon.ts";
import { newLink } from "./link-list.ts";
import { openWalks } from "./open-walks.ts";
import type { TestServer } from "./server.ts";
import { storeClicks } from "./store-clicks.ts";
import { agentClicks, historyClicks } from "./walked-clicks.ts";

/** The origin of the links' destinations, which has an icon. */
const destinationOrigin = "https://icon.example";

/** A world whose reports are walked through. */
type WalkedReports = {
  world: ReturnType<typeof openWalks>;
  /** The ids of a link with the clicks of agents, of one with those of the history, and of one without clicks. */
  links: { grouped: string; history: string; live: string };
  /** The number of clicks of the history from one instant to before another. */
  clicksIn(from: number, to?: number): number;
  /** Opens analytics in a window of a width, with the clock of UTC, when its numbers are there. */
  open(width: number, search: string): Promise<Page>;
};

/** Opens the world of a file's walks while they run. */
export function openWalkedReports(): WalkedReports {
  const links = { grouped: "", history: "", live: "" };
  let history: Click[] = [];
  const fill = async (server: TestServer) => {
    const linkTo = async (key: string) => (await newLink(server, { url: `${destinationOrigin}/page`, key })).id;
    links.grouped = await linkTo("grouped");
    links.history = await linkTo("history");
    links.live = await linkTo("live");
    history = historyClicks(links.history, Date.now());
    storeDestinationIcon(server, destinationOrigin);
    return await storeClicks(server, [...agentClicks(links.grouped, Date.now()), ...history]);
  };
  const world = openWalks({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" }, fill);
  return {
    world,
    links,
    clicksIn: (from, to = Number.POSITIVE_INFINITY) => history.filter(({ time }) => time >= from && time < to).length,
    async open(width, search) {
      const page = await world.newPage({ viewport: { width, height: 800 }, timezoneId: "UTC" });
      await page.goto(world.url(`/analytics?${search}`));
      await figureOf(page).waitFor();
      return page;
    },
  };
}

/** The headline number of clicks, or the one that shows exactly this many. */
export function figureOf(page: Page, clicks?: number): Locator {
  const number = clicks === undefined ? "\\d" : `${new Intl.NumberFormat("en-US").format(clicks)}(?![\\d,])`;
  return page.getByRole("button", { name: new RegExp(`^Clicks ${number}`) });
}

/** Waits until all cards show the current numbers. While they load, cards are placeholders or half transparent. */
export async function waitForCards(page: Page): Promise<void> {
  await page.locator("[data-skeleton], .opacity-50").first().waitFor({ state: "detached" });
}

/** Types a first and a last day into the open form of a period. */
export async function typePeriod(page: Page, first: string, last: string): Promise<void> {
  await page.getByLabel("From", { exact: true }).fill(first);
  await page.getByLabel("Until", { exact: true }).fill(last);
  await page.getByRole("button", { name: "Apply" }).click();
}
