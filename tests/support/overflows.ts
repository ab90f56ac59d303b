import type { Page } from "playwright-core";
import { z } from "zod";

/**
 * What is wrong with the sizes of the boxes on a page, one per line: the page or a box scrolls sideways, a box scrolls by
 * a few pixels, a row of tabs shows a scrollbar, or a text is cut to a letter.
 */
export async function overflowsOf(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(`(${findOverflows})()`));
}

/**
 * Runs in the page. Content that exceeds its box by a few pixels is a mistake of the layout: the scrollbar that it
 * causes reveals nothing. Only boxes marked with `data-scrolls-sideways` may scroll to the side. A truncated text must
 * show a few letters.
 */
const findOverflows = `() => {
  const slightMax = 3;
  const truncatedMin = 36;
  const found = [];
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth) found.push("the page scrolls sideways by " + (root.scrollWidth - root.clientWidth));
  for (const box of document.querySelectorAll("body *")) {
    const style = getComputedStyle(box);
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
    const name = box.tagName.toLowerCase() + "." + String(box.getAttribute("class")).slice(0, 80);
    const sideways = box.scrollWidth - box.clientWidth;
    const down = box.scrollHeight - box.clientHeight;
    const isField = box.tagName === "TEXTAREA";
    if (style.textOverflow === "ellipsis" && sideways > 1 && box.clientWidth < truncatedMin)
      found.push(name + " truncates “" + box.textContent.slice(0, 40) + "” to " + box.clientWidth + " pixels");
    if (scrolls(style.overflowX) && sideways > 0 && !isField && box.closest("[data-scrolls-sideways]") === null)
      found.push(name + " scrolls sideways by " + sideways);
    if (scrolls(style.overflowY) && down > 0 && down <= slightMax) found.push(name + " scrolls by " + down);
    if (box.getAttribute("role") === "tablist" || box.tagName === "NAV") {
      const bars = [
        box.offsetWidth - box.clientWidth - parseFloat(style.borderLeftWidth) - parseFloat(style.borderRightWidth),
        box.offsetHeight - box.clientHeight - parseFloat(style.borderTopWidth) - parseFloat(style.borderBottomWidth),
      ];
      if (bars.some((pixels) => pixels > 1)) found.push(name + " shows a scrollbar");
    }
  }
  return found;
}`;
