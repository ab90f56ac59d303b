import type { TagColor } from "../database/schema.ts";

/** A link of the example: its destination's path, its placement, and whether its QR code is printed somewhere. */
export type ExampleLink = {
  key: string;
  path: string;
  title: string;
  /** Days from its creation to that of the example; each link has another number. */
  ageDays: number;
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

/** The folders of the example, in the order in which lists show them: that of their creation. */
export const exampleFolders: readonly string[] = ["Campaigns", "Events", "Shop"];

/** TABLE of the links of a coffee roaster, the most clicked first. */
export const exampleLinks: readonly ExampleLink[] = [
  { key: "shop", path: "shop", title: "Online shop", ageDays: 720, folder: "Shop", tags: ["social"] },
  { key: "menu", path: "menu", title: "Menu of the cafés", ageDays: 655, tags: ["print"], isPrinted: true },
  {
    key: "spring",
    path: "shop/spring?utm_source=newsletter&utm_medium=email&utm_campaign=spring",
    title: "Spring roast",
    ageDays: 402,
    folder: "Campaigns",
    tags: ["campaign", "newsletter"],
  },
  {
    key: "subscribe",
    path: "subscribe",
    title: "Coffee subscription",
    ageDays: 690,
    folder: "Shop",
    tags: ["newsletter"],
  },
  {
    key: "insta",
    path: "?utm_source=instagram&utm_medium=social&utm_campaign=bio",
    title: "Link in bio",
    ageDays: 530,
    tags: ["social"],
  },
  {
    key: "summer",
    path: "shop/cold-brew?utm_source=instagram&utm_medium=social&utm_campaign=summer",
    title: "Cold brew",
    ageDays: 377,
    folder: "Campaigns",
    tags: ["campaign", "social"],
  },
  { key: "wifi", path: "wifi", title: "Wi-Fi in the cafés", ageDays: 612, tags: ["print"], isPrinted: true },
  { key: "visit", path: "cafes", title: "Find a café", ageDays: 641, tags: ["print"], isPrinted: true },
  {
    key: "poster",
    path: "shop?utm_source=poster&utm_medium=print&utm_campaign=autumn",
    title: "Autumn poster",
    ageDays: 371,
    folder: "Campaigns",
    tags: ["campaign", "print"],
    isPrinted: true,
  },
  { key: "brew", path: "guides/brewing", title: "Brewing guide", ageDays: 455, tags: ["newsletter"] },
  {
    key: "tasting",
    path: "events/tasting",
    title: "Tasting evenings",
    ageDays: 334,
    folder: "Events",
    tags: ["newsletter"],
  },
  { key: "gift", path: "shop/gift-cards", title: "Gift cards", ageDays: 251, folder: "Shop", tags: ["campaign"] },
  {
    key: "youtube",
    path: "guides/espresso?utm_source=youtube&utm_medium=video",
    title: "Espresso video",
    ageDays: 297,
    tags: ["social"],
  },
  { key: "beans", path: "shop/beans", title: "All beans", ageDays: 705, folder: "Shop", tags: [] },
  {
    key: "bakery",
    path: "partners/bakery?utm_source=bakery&utm_medium=referral",
    title: "Bakery",
    ageDays: 213,
    tags: ["partner"],
  },
  {
    key: "winter",
    path: "shop/winter?utm_source=google&utm_medium=cpc&utm_campaign=winter",
    title: "Winter blend",
    ageDays: 62,
    folder: "Campaigns",
    tags: ["campaign"],
  },
  { key: "jobs", path: "jobs", title: "Jobs", ageDays: 148, tags: ["social"] },
  {
    key: "barista",
    path: "events/barista-course",
    title: "Barista course",
    ageDays: 119,
    folder: "Events",
    tags: ["print"],
  },
  {
    key: "hotel",
    path: "partners/hotel?utm_source=hotel&utm_medium=referral",
    title: "Hotel",
    ageDays: 96,
    tags: ["partner"],
  },
  { key: "feedback", path: "feedback", title: "Feedback", ageDays: 498, tags: ["print"], isPrinted: true },
  { key: "press", path: "press", title: "Press kit", ageDays: 476, tags: [] },
  {
    key: "festival",
    path: "events/festival",
    title: "Coffee festival",
    ageDays: 44,
    folder: "Events",
    tags: ["partner"],
  },
  { key: "story", path: "about", title: "Our story", ageDays: 677, tags: ["newsletter"] },
  { key: "contact", path: "contact", title: "Contact", ageDays: 712, tags: [] },
];
