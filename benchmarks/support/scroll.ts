import type { Page } from "playwright-core";
import { z } from "zod";
import { seededRandom } from "../../tests/support/clicks.ts";

/** How far a frame scrolls, as a hard turn of the wheel does, and for how many frames. */
const stepPx = 240;
const frames = 240;
/** Far jumps, as by dragging the bar, whose rows were never read. */
const jumps = 20;
/** A frame that is longer than this is a long one, as the Long Animation Frames API has it. */
const longFrameMs = 50;
const jumpMsMax = 10_000;
/** As high as the list's rows are. */
const rowPx = 68;

/** What scrolling took, in milliseconds: from one frame to the next, and from a jump until the rows of its place are there. */
export type Scrolled = { frameMs: number[]; longFrames: number; jumpMs: number[] };

const Measured = z.object({ frameMs: z.array(z.number()), jumpMs: z.array(z.number()) });

/** Makes the page an empty one, as high as a list of so many links. */
export async function emptyPage(page: Page, links: number): Promise<void> {
  await page.evaluate(`document.body.innerHTML = '<div style="height: ${links * rowPx}px"></div>'`);
}

/**
 * Scrolls the page as it is, evenly and then in jumps. Rows are there when every row in the window shows its link, which
 * is so at once on a page without any; a jump has at least the frame that draws it.
 */
export async function scroll(page: Page, seed: number): Promise<Scrolled> {
  const random = seededRandom(seed);
  const places = Array.from({ length: jumps }, () => random());
  const { frameMs, jumpMs } = Measured.parse(await page.evaluate(`(${measure})(${JSON.stringify(places)})`));
  return { frameMs, longFrames: frameMs.filter((ms) => ms > longFrameMs).length, jumpMs };
}

/** Runs in the page. */
const measure = `async (places) => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const inWindow = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const isList = document.querySelector("[data-row]") !== null;
  const areRowsThere = () => {
    const rows = [...document.querySelectorAll("[data-row]")].filter(inWindow);
    return !isList || (rows.length > 0 && rows.every((row) => row.querySelector("button") !== null));
  };
  const frameMs = [];
  scrollTo(0, 0);
  let before = await nextFrame();
  for (let frame = 0; frame < ${frames}; frame++) {
    scrollBy(0, ${stepPx});
    const now = await nextFrame();
    frameMs.push(now - before);
    before = now;
  }
  const jumpMs = [];
  for (const place of places) {
    const startedAt = performance.now();
    scrollTo(0, place * (document.documentElement.scrollHeight - innerHeight));
    do await nextFrame();
    while (!areRowsThere() && performance.now() - startedAt < ${jumpMsMax});
    if (!areRowsThere()) throw new Error("The rows did not come.");
    // The frame in which they are drawn.
    await nextFrame();
    jumpMs.push(performance.now() - startedAt);
  }
  return { frameMs, jumpMs };
}`;
