import { expect, test } from "bun:test";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import type { ClickSelection } from "../../query.ts";
import { ClickUpperBounds } from "./click-upper-bounds.ts";

const enough = 100;
const day = { from: 0, to: 86_400_000 };
const ofWorkspace: ClickSelection = { workspaceId: 1, ...day, bots: "exclude", filters: [] };
const ofLink: ClickSelection = {
  ...ofWorkspace,
  filters: [{ dimension: "linkId", values: ["link_a"], isExcluded: false }],
};

/** A count function with fixed results for workspaces, links and selections, and the list of what it counted. */
function counting(sizes: { workspace: number; link: number; selection: number }) {
  const counted: string[] = [];
  const count = async ({ from, to, filters }: ClickSelection) => {
    const kind = from === day.from && to === day.to ? "selection" : filters.length === 0 ? "workspace" : "link";
    counted.push(kind);
    return sizes[kind];
  };
  return { counted, count };
}

test("a small workspace is counted once for all queries about it", async () => {
  const known = new ClickUpperBounds();
  const { counted, count } = counting({ workspace: 50, link: 20, selection: 10 });

  const found = [await known.find(ofWorkspace, enough, count), await known.find(ofLink, enough, count)];

  expect({ found, counted }).toEqual({ found: [50, 50], counted: ["workspace"] });
});

test("a small link of a large workspace is counted once for all queries about it", async () => {
  const known = new ClickUpperBounds();
  const { counted, count } = counting({ workspace: 500, link: 20, selection: 10 });

  const found = [await known.find(ofLink, enough, count), await known.find(ofLink, enough, count)];

  expect({ found, counted }).toEqual({ found: [20, 20], counted: ["workspace", "link"] });
});

test("a bound that may have grown beyond the limit is counted again", async () => {
  const known = new ClickUpperBounds();
  const { counted, count } = counting({ workspace: 50, link: 20, selection: 10 });
  await known.find(ofWorkspace, enough, count);

  known.add(randomClicks(seededRandom(1), 51, day));
  const found = await known.find(ofWorkspace, enough, count);

  expect({ found, counted }).toEqual({ found: 50, counted: ["workspace", "workspace"] });
});

test("the selection itself is counted for a large link", async () => {
  const known = new ClickUpperBounds();
  const { counted, count } = counting({ workspace: 500, link: 300, selection: 10 });

  expect(await known.find(ofLink, enough, count)).toBe(10);
  expect(counted).toEqual(["workspace", "link", "selection"]);
});
