/**
 * The icons of brands, from Simple Icons (CC0). The trademarks belong to their owners. The build copies each icon into
 * a file with its color; see dashboard/brand-files.ts.
 */

/** The URL of an icon without its name. The build replaces it; see dashboard/build.ts. */
declare const brandUrlParts: { before: string; after: string };

/** An icon of Simple Icons by its name there, our own icon on 24 by 24 units, or letters on a square. */
type Brand =
  | { kind: "file"; icon: string }
  | { kind: "path"; path: string; color: string }
  | { kind: "letters"; letters: string; color: string };

/** TABLE of brands that Simple Icons does not have, with their letters and colors. */
const monograms: Record<string, [letters: string, color: string]> = {
  "360 Search": ["3", "#19B955"],
  Bing: ["b", "#0C7C86"],
  ChatGPT: ["G", "#0F8F6F"],
  Copilot: ["C", "#2870EA"],
  Edge: ["e", "#0C59A4"],
  Grok: ["G", "#52525B"],
  LinkedIn: ["in", "#0A66C2"],
  "Mail.ru Mail": ["@", "#005FF9"],
  "Microsoft Teams": ["T", "#5059C9"],
  MSN: ["m", "#0078D4"],
  Outlook: ["O", "#0F6CBD"],
  // The official icon is a word, which nobody can read at this size.
  "Samsung Email": ["S", "#1428A0"],
  "Samsung Internet": ["S", "#1428A0"],
  Seznam: ["S", "#CC0000"],
  Skype: ["S", "#0090C8"],
  Slack: ["S", "#8A3A8C"],
  "WEB.DE": ["W", "#8A6D00"],
  Yahoo: ["Y!", "#6001D2"],
  "Yahoo Mail": ["Y!", "#6001D2"],
  Yandex: ["Я", "#E0301E"],
  "Yandex Browser": ["Я", "#E0301E"],
  "Yandex Mail": ["Я", "#E0301E"],
};

/** Four panes. */
const windowsPath = "M3 3h8.4v8.4H3zM12.6 3H21v8.4h-8.4zM3 12.6h8.4V21H3zM12.6 12.6H21V21h-8.4z";

/** TABLE of the icons in Simple Icons, by the names in reports: of services, browsers and systems. */
const icons: Record<string, string> = {
  Google: "google",
  "Google App": "google",
  DuckDuckGo: "duckduckgo",
  Ecosia: "ecosia",
  Brave: "brave",
  "Brave Search": "brave",
  Startpage: "startpage",
  Qwant: "qwant",
  Kagi: "kagi",
  MetaGer: "metager",
  Baidu: "baidu",
  Sogou: "sogou",
  Naver: "naver",
  "Naver Mail": "naver",
  Facebook: "facebook",
  Instagram: "instagram",
  Threads: "threads",
  X: "x",
  Twitter: "x",
  Reddit: "reddit",
  Pinterest: "pinterest",
  YouTube: "youtube",
  TikTok: "tiktok",
  Douyin: "tiktok",
  Snapchat: "snapchat",
  Bluesky: "bluesky",
  Mastodon: "mastodon",
  Tumblr: "tumblr",
  Quora: "quora",
  "Hacker News": "ycombinator",
  "Product Hunt": "producthunt",
  Twitch: "twitch",
  Vimeo: "vimeo",
  Dailymotion: "dailymotion",
  Flickr: "flickr",
  XING: "xing",
  Nextdoor: "nextdoor",
  VK: "vk",
  Odnoklassniki: "odnoklassniki",
  Weibo: "sinaweibo",
  Xiaohongshu: "xiaohongshu",
  Zhihu: "zhihu",
  Bilibili: "bilibili",
  Douban: "douban",
  WhatsApp: "whatsapp",
  Telegram: "telegram",
  Messenger: "messenger",
  Signal: "signal",
  Discord: "discord",
  "Google Chat": "googlechat",
  "Google Messages": "googlemessages",
  LINE: "line",
  KakaoTalk: "kakaotalk",
  WeChat: "wechat",
  QQ: "qq",
  "QQ Browser": "qq",
  "QQ Mail": "qq",
  Viber: "viber",
  Threema: "threema",
  Element: "element",
  Zalo: "zalo",
  Gmail: "gmail",
  "Proton Mail": "protonmail",
  Lumo: "proton",
  "iCloud Mail": "icloud",
  Mailchimp: "mailchimp",
  "Zoho Mail": "zoho",
  HEY: "hey",
  Thunderbird: "thunderbird",
  GMX: "gmx",
  Tuta: "tuta",
  "mailbox.org": "mailbox",
  Claude: "claude",
  Gemini: "googlegemini",
  NotebookLM: "notebooklm",
  Perplexity: "perplexity",
  DeepSeek: "deepseek",
  Mistral: "mistralai",
  "Meta AI": "meta",
  Poe: "poe",
  Qwen: "qwen",
  "Google News": "googlenews",
  "Google Docs": "googledocs",
  "Google Maps": "googlemaps",
  Wikipedia: "wikipedia",
  GitHub: "github",
  Notion: "notion",
  Flipboard: "flipboard",
  Feedly: "feedly",
  Chrome: "googlechrome",
  Chromium: "googlechrome",
  "Chrome OS": "googlechrome",
  Chromecast: "googlechrome",
  Safari: "safari",
  Firefox: "firefoxbrowser",
  "Firefox Focus": "firefoxbrowser",
  Opera: "opera",
  Vivaldi: "vivaldi",
  "Huawei Browser": "huawei",
  "MIUI Browser": "xiaomi",
  Alipay: "alipay",
  "Oculus Browser": "oculus",
  PlayStation: "playstation",
  iOS: "apple",
  macOS: "apple",
  Android: "android",
  Linux: "linux",
  Ubuntu: "ubuntu",
  FreeBSD: "freebsd",
  HarmonyOS: "harmonyos",
  KaiOS: "kaios",
};

/** TABLE of the brands of hosts, with all their subdomains. The first longest one wins. */
const brandsOfDomains: ReadonlyMap<string, string> = new Map([
  ["linkedin.com", "LinkedIn"],
  ["lnkd.in", "LinkedIn"],
  ["bing.com", "Bing"],
  ["slack.com", "Slack"],
  ["chatgpt.com", "ChatGPT"],
  ["copilot.microsoft.com", "Copilot"],
  ["google.com", "Google"],
  ["facebook.com", "Facebook"],
  ["instagram.com", "Instagram"],
  ["threads.net", "Threads"],
  ["threads.com", "Threads"],
  ["x.com", "X"],
  ["t.co", "X"],
  ["twitter.com", "X"],
  ["reddit.com", "Reddit"],
  ["pinterest.com", "Pinterest"],
  ["youtube.com", "YouTube"],
  ["tiktok.com", "TikTok"],
  ["snapchat.com", "Snapchat"],
  ["bsky.app", "Bluesky"],
  ["mastodon.social", "Mastodon"],
  ["tumblr.com", "Tumblr"],
  ["quora.com", "Quora"],
  ["news.ycombinator.com", "Hacker News"],
  ["producthunt.com", "Product Hunt"],
  ["twitch.tv", "Twitch"],
  ["vimeo.com", "Vimeo"],
  ["vk.com", "VK"],
  ["weibo.com", "Weibo"],
  ["zhihu.com", "Zhihu"],
  ["bilibili.com", "Bilibili"],
  ["whatsapp.com", "WhatsApp"],
  ["t.me", "Telegram"],
  ["telegram.org", "Telegram"],
  ["messenger.com", "Messenger"],
  ["discord.com", "Discord"],
  ["mail.google.com", "Gmail"],
  ["com.google.android.gm", "Gmail"],
  ["mail.proton.me", "Proton Mail"],
  ["claude.ai", "Claude"],
  ["gemini.google.com", "Gemini"],
  ["perplexity.ai", "Perplexity"],
  ["chat.deepseek.com", "DeepSeek"],
  ["chat.mistral.ai", "Mistral"],
  ["duckduckgo.com", "DuckDuckGo"],
  ["ecosia.org", "Ecosia"],
  ["search.brave.com", "Brave Search"],
  ["startpage.com", "Startpage"],
  ["qwant.com", "Qwant"],
  ["kagi.com", "Kagi"],
  ["baidu.com", "Baidu"],
  ["naver.com", "Naver"],
  ["news.google.com", "Google News"],
  ["docs.google.com", "Google Docs"],
  ["wikipedia.org", "Wikipedia"],
  ["github.com", "GitHub"],
]);

/** The names in Simple Icons of the icons that the build copies. */
export const iconNames: readonly string[] = [...new Set(Object.values(icons))];

/** The icon of a brand; undefined for an unknown one. */
export function brandNamed(name: string): Brand | undefined {
  const icon = Object.hasOwn(icons, name) ? icons[name] : undefined;
  if (icon !== undefined) return { kind: "file", icon };
  if (name === "Windows") return { kind: "path", path: windowsPath, color: "#0078D4" };
  const monogram = Object.hasOwn(monograms, name) ? monograms[name] : undefined;
  return monogram && { kind: "letters", letters: monogram[0], color: monogram[1] };
}

/** The icon of a host of a brand; undefined for other hosts. */
export function brandOfHost(host: string): Brand | undefined {
  const labels = host.split(".");
  const name = labels
    .map((_, start) => brandsOfDomains.get(labels.slice(start).join(".")))
    .find((found) => found !== undefined);
  return name === undefined ? undefined : brandNamed(name);
}

/** The URL of the drawing in an icon's file. It has the icon's color, or the `fill` of the element that uses it. */
export function brandUrl(icon: string): string {
  const { before, after } = brandUrlParts;
  return `${before}${icon}${after}#icon`;
}
