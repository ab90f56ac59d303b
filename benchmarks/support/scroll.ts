import type { Page } from "playwright-core";
import { z } from "zod";
import { seededRandom } from "../../tests/support/clicks.ts";

/** The scrolled distance per frame, like a fast turn of the mouse wheel, and the number of frames. */
const stepPx = 240;
const frames = 240;
/** Long jumps, like dragging the scroll bar, to rows that were never loaded. */
const jumps = 20;
/** Frames beyond this duration count as long, as in the Long Animation Frames API. */
const longFrameMs = 50;
const jumpMsMax = 10_000;
/** The height of a row of the list. */
const rowPx = 68;

/** Times in milliseconds: between two frames, and from a jump until its rows are shown. */
export type ScrollTimes = { frameMs: number[]; longFrames: number; jumpMs: number[] };

const Measured = z.object({ frameMs: z.array(z.number()), jumpMs: z.array(z.number()) });

/** Replaces the page with an empty one of the height of a list with this number of links. */
export async function openEmptyPage(page: Page, links: number): Promise<void> {
  await page.evaluate(`document.body.innerHTML = '<div style="height: ${links * rowPx}px"></div>'`);
}

/**
 * Scrolls the page, first evenly and then in jumps. A jump ends when every row in the window shows its link, after at
 * least one frame; on a page without rows that is at once.
 */
export async function scroll(page: Page, seed: number): Promise<ScrollTimes> {
  const random = seededRandom(seed);
  const positions = Array.from({ length: jumps }, () => random());
  const { frameMs, jumpMs } = Measured.parse(await page.evaluate(`(${measure})(${JSON.stringify(positions)})`));
  return { frameMs, longFrames: frameMs.filter((ms) => ms > longFrameMs).length, jumpMs };
}

/** This function runs in the page. */
const measure = `async (positions) => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const inWindow = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const isList = document.querySelector("[data-row]") !== null;
  const areRowsShown = () => {
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
  for (const position of positions) {
    const startedAt = performance.now();
    scrollTo(0, position * (document.documentElement.scrollHeight - innerHeight));
    do await nextFrame();
    while (!areRowsShown() && performance.now() - startedAt < ${jumpMsMax});
    if (!areRowsShown()) throw new Error("The rows did not appear.");
    // The frame that draws the rows.
    await nextFrame();
    jumpMs.push(performance.now() - startedAt);
  }
  return { frameMs, jumpMs };
}`;
