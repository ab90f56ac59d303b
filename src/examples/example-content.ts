import type { TagColor } from "../database/schema.ts";

/** A link of the example: its destination's path, its placement, and whether its QR code is printed somewhere. */
export type ExampleLink = {
  key: string;
  path: string;
  title: string;
  folder?: string;
  tags: readonly string[];
  isPrinted?: true;
};

/** The name of an example workspace. */
export const exampleName = "Example";

/** The tags of the example with their colors. */
export const exampleTags: readonly { name: string; color: TagColor }[] = [
  { name: "campaign", color: "blue" },
  { name: "print", color: "yellow" },
  { name: "newsletter", color: "green" },
  { name: "social", color: "pink" },
  { name: "partner", color: "purple" },
];

/** The folders of the example. */
export const exampleFolders: readonly string[] = ["Shop", "Campaigns", "Events"];

/** TABLE of the links of a coffee roaster, the most clicked first. */
export const exampleLinks: readonly ExampleLink[] = [
  { key: "shop", path: "shop", title: "Online shop", folder: "Shop", tags: ["social"] },
  { key: "menu", path: "menu", title: "Menu of the cafés", tags: ["print"], isPrinted: true },
  {
    key: "spring",
    path: "shop/spring?utm_source=newsletter&utm_medium=email&utm_campaign=spring",
    title: "Spring roast",
    folder: "Campaigns",
    tags: ["campaign", "newsletter"],
  },
  { key: "subscribe", path: "subscribe", title: "Coffee subscription", folder: "Shop", tags: ["newsletter"] },
  {
    key: "insta",
    path: "?utm_source=instagram&utm_medium=social&utm_campaign=bio",
    title: "Link in bio",
    tags: ["social"],
  },
  {
    key: "summer",
    path: "shop/cold-brew?utm_source=instagram&utm_medium=social&utm_campaign=summer",
    title: "Cold brew",
    folder: "Campaigns",
    tags: ["campaign", "social"],
  },
  { key: "wifi", path: "wifi", title: "Wi-Fi in the cafés", tags: ["print"], isPrinted: true },
  { key: "visit", path: "cafes", title: "Find a café", tags: ["print"], isPrinted: true },
  {
    key: "poster",
    path: "shop?utm_source=poster&utm_medium=print&utm_campaign=autumn",
    title: "Autumn poster",
    folder: "Campaigns",
    tags: ["campaign", "print"],
    isPrinted: true,
  },
  { key: "brew", path: "guides/brewing", title: "Brewing guide", tags: ["newsletter"] },
  { key: "tasting", path: "events/tasting", title: "Tasting evenings", folder: "Events", tags: ["newsletter"] },
  { key: "gift", path: "shop/gift-cards", title: "Gift cards", folder: "Shop", tags: ["campaign"] },
  {
    key: "youtube",
    path: "guides/espresso?utm_source=youtube&utm_medium=video",
    title: "Espresso video",
    tags: ["social"],
  },
  { key: "beans", path: "shop/beans", title: "All beans", folder: "Shop", tags: [] },
  { key: "bakery", path: "partners/bakery?utm_source=bakery&utm_medium=referral", title: "Bakery", tags: ["partner"] },
  {
    key: "winter",
    path: "shop/winter?utm_source=google&utm_medium=cpc&utm_campaign=winter",
    title: "Winter blend",
    folder: "Campaigns",
    tags: ["campaign"],
  },
  { key: "jobs", path: "jobs", title: "Jobs", tags: ["social"] },
  { key: "barista", path: "events/barista-course", title: "Barista course", folder: "Events", tags: ["print"] },
  { key: "hotel", path: "partners/hotel?utm_source=hotel&utm_medium=referral", title: "Hotel", tags: ["partner"] },
  { key: "feedback", path: "feedback", title: "Feedback", tags: ["print"], isPrinted: true },
  { key: "press", path: "press", title: "Press kit", tags: [] },
  { key: "festival", path: "events/festival", title: "Coffee festival", folder: "Events", tags: ["partner"] },
  { key: "story", path: "about", title: "Our story", tags: ["newsletter"] },
  { key: "contact", path: "contact", title: "Contact", tags: [] },
];
