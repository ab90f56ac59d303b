import { parseReferrer, type Referrer } from "../../src/clicks/enrich.ts";
import { zipfShares } from "./zipf.ts";

/** TABLE of Referer headers, in percent of the visitors who send one. */
const headers: Readonly<Record<string, number>> = {
  "https://www.google.com/": 19,
  "https://t.co/": 6,
  "https://l.instagram.com/": 7,
  "https://l.facebook.com/": 6,
  "https://lm.facebook.com/": 4,
  "https://m.facebook.com/": 3,
  "https://www.linkedin.com/": 4,
  "https://www.linkedin.com/feed/": 2,
  "https://www.youtube.com/": 5,
  "https://www.reddit.com/": 2,
  "https://out.reddit.com/": 1,
  "https://www.tiktok.com/": 3,
  "https://www.pinterest.com/": 1.5,
  "https://news.ycombinator.com/": 0.8,
  "https://www.bing.com/": 2.5,
  "https://duckduckgo.com/": 1.4,
  "https://search.yahoo.com/": 0.8,
  "https://yandex.ru/": 0.4,
  "https://www.google.co.uk/": 1,
  "https://www.google.de/": 0.8,
  "https://www.google.co.in/": 0.8,
  "https://chatgpt.com/": 1.4,
  "https://www.perplexity.ai/": 0.5,
  "https://mail.google.com/": 1.6,
  "android-app://com.google.android.gm/": 1.8,
  "https://outlook.live.com/": 0.7,
  "https://outlook.office.com/": 0.8,
  "android-app://com.google.android.googlequicksearchbox/": 1.2,
  "android-app://com.slack/": 0.6,
  "https://app.slack.com/": 0.4,
  "https://teams.microsoft.com/": 0.5,
  "https://web.whatsapp.com/": 0.9,
  "https://web.telegram.org/": 0.6,
  "https://discord.com/": 0.6,
  "https://medium.com/": 0.7,
  "https://github.com/": 0.6,
  "https://bsky.app/": 0.3,
  "https://mastodon.social/": 0.2,
};
/** Sites with pages that link to short links; they share the remaining percent. */
const sites = ["blog.example.com", "www.news.example", "magazine.example.org", "shop.example.net", "forum.example.org"];
const pagesOfSite = 40;

/** Referrers with their weights. */
export const referrers: readonly { weight: number; referrer: Referrer }[] = [...known(), ...pages()];

function known() {
  return Object.entries(headers).map(([header, weight]) => ({ weight, referrer: parseReferrer(header) }));
}

function pages() {
  const remainingPercent = 100 - Object.values(headers).reduce((sum, weight) => sum + weight, 0);
  const shares = zipfShares(sites.length * pagesOfSite);
  return Array.from(shares, (share, index) => {
    const site = sites[index % sites.length];
    const page = `https://${site}/posts/${2_000 + Math.floor(index / sites.length)}`;
    return { weight: remainingPercent * share, referrer: parseReferrer(page) };
  });
}
