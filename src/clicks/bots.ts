/**
 * Decides which requests come from bots.
 *
 * 1. Our patterns come first and determine the kind; then known humans that isbot takes for bots; then isbot decides.
 * 2. A bot of unknown kind is a tool, and so is a request without a user agent: every browser sends one.
 * 3. An app's HTTP client (okhttp, CFNetwork, Dalvik) is a tool. The destination of a tapped link opens in a web
 *    engine, which names itself "Mozilla/5.0"; these clients prefetch and unfurl links.
 * 4. The browsers inside Facebook, Instagram, WhatsApp and similar apps are humans; their previewers are bots.
 * 5. Microsoft Office is a human: it follows a clicked link itself and passes only the last address to the browser, so
 *    its request is the only click.
 */
import { isbot } from "isbot";
import { LruCache } from "../base/lru-cache.ts";
import { type BotKind, clickHeaderMax } from "./click.ts";

/** Size of the cache of user agents, at about 300 bytes each; at most twice as many. */
const recentAgentsMax = 5_000;
const recent = new LruCache<string, BotKind | "">(recentAgentsMax);

/**
 * TABLE of bots by kind, tried in this order: some user agents name several, such as "TelegramBot (like TwitterBot)".
 */
const kindPatterns: readonly (readonly [BotKind, RegExp])[] = [
  ["prefetch", /Chrome Privacy Preserving Prefetch Proxy/i],
  [
    "ai",
    anyOf(
      "GPTBot|ChatGPT-User|OAI-SearchBot|OAI-AdsBot|ChatGPT Agent",
      "ClaudeBot|Claude-(?:User|SearchBot|Web)|anthropic-ai|claude-code/",
      "PerplexityBot|Perplexity-User|MistralAI-|cohere-|YouBot|DuckAssistBot|PhindBot|Kimi-User|DeepSeekBot|GrokBot",
      "CCBot/|Bytespider|TikTokSpider|Amazonbot|Amzn-SearchBot|Amzn-User|meta-external(?:agent|fetcher)|meta-webindexer",
      "FacebookBot|Google-Extended|Google-CloudVertexBot|Google-NotebookLM|Applebot-Extended|GoogleAgent-",
      "Diffbot|Omgili|webzio|Timpibot|ImagesiftBot|AI2Bot|Kangaroo Bot|ICC-Crawler|PanguBot|Manus-User",
    ),
  ],
  [
    "preview",
    anyOf(
      "facebookexternalhit|Facebot|facebookcatalog|Twitterbot|LinkedInBot|Pinterest(?:bot|/0\\.)|redditbot|vkShare",
      "Slackbot|Slack-ImgProxy|Discordbot|TelegramBot|^WhatsApp/|^Viber(?:/|$)|kakaotalk-scrap|line-poker",
      "SkypeUriPreview|MicrosoftPreview|BingPreview|Snap URL Preview|Link ?Preview|Yahoo:LinkExpander|OdklBot",
      "Embedly|Iframely|Discourse Forum Onebox|Mastodon/|Misskey/|Pleroma |Akkoma |Lemmy/|Bluesky Cardyb|bitlybot",
      "Synapse|SteamChatURLLookup|XING-contenttabreceiver|FlipboardProxy|Tumblr/|Nuzzel|WeChatShareExtension",
      "Google-PageRenderer|developers\\.google\\.com/\\+/web/snippet|GoogleImageProxy|YahooMailProxy|Zoombot",
    ),
  ],
  [
    "search",
    anyOf(
      "Googlebot|AdsBot-Google|Mediapartners-Google|Google-InspectionTool|Storebot-Google|Google Web Preview",
      "bingbot|adidxbot|msnbot|Slurp|DuckDuckBot|DuckDuckGo-Favicons|Baiduspider|YandexBot|Yandex\\w*Bot|YandexImages",
      "Applebot|PetalBot|AspiegelBot|SeznamBot|Sogou \\w+ spider|360Spider|Yisouspider|Yeti/|coccocbot|MojeekBot",
      "Qwantify|Qwantbot|Exabot|Daumoa|Mail\\.RU_Bot|Linespider|BraveBot|Ecosiabot|YaCy|yacybot|SeekportBot|Y!J-",
    ),
  ],
  [
    "monitor",
    anyOf(
      "UptimeRobot|Pingdom|pingbot|StatusCake|Datadog|Site24x7|Better ?(?:Uptime|Stack)|updown\\.io|HetrixTools",
      "Uptime-?Kuma|Uptimebot|NodePing|Checkly|Freshping|NewRelic|New Relic|Catchpoint|RuxitSynthetic|Rigor\\b|DejaClick",
      "ELB-HealthChecker|kube-probe|Route53-Health-Check|GoogleHC|GoogleStackdriverMonitoring|HealthCheck|Health-?check",
      "check_http|Zabbix|Prometheus|Blackbox[ -]Exporter|^Monit/|Nagios|Icinga|PRTG|jetmon|WebGazer|LogicMonitor",
      "DMBrowser|HTTPMon|Server Density|Xymon|Munin|collectd|phpservermon|SentryUptimeBot|monitor\\.us|OhDear|Montastic",
    ),
  ],
  ["tool", anyOf("^Dalvik/", "^(?!Mozilla/).*\\bCFNetwork/", "\\bokhttp/", "HeadlessChrome|PhantomJS|SlimerJS")],
];

/** TABLE of humans that isbot takes for bots, by the part of the user agent that misleads it. */
const humans = anyOf(
  "\\bAlipayClient/", // "ws:320|504"
  "\\bSogouMobileBrowser/|\\bMetaSr\\b", // "sogou"
  "\\bQQ-URL-Manager\\b", // "url"
  "\\bFBAN/|\\bFB_IAB/|\\bInstagram \\d|\\bBarcelona \\d", // device and carrier names may hold anything
  "^Mozilla/5\\.0 \\(PlayStation |^Mozilla/5\\.0 \\(Nintendo ",
);

/**
 * The kind of bot of a user agent, by its first clickHeaderMax characters; "" for a human.
 * Guarantee: never throws; bounded in time for any text.
 */
export function botKind(userAgent: string): BotKind | "" {
  const text = userAgent.slice(0, clickHeaderMax);
  const known = recent.get(text);
  if (known !== undefined) return known;
  const kind = classify(text);
  recent.set(text, kind);
  return kind;
}

function classify(text: string): BotKind | "" {
  if (text.trim() === "") return "tool";
  for (const [kind, pattern] of kindPatterns) if (pattern.test(text)) return kind;
  if (humans.test(text)) return "";
  return isbot(text) ? "tool" : "";
}

function anyOf(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join("|"), "i");
}

/** The parts of a request that show that no human waits for the response. Headers as received; null when absent. */
type BotSignals = {
  method: string;
  /** Sec-Purpose, such as "prefetch;prerender". */
  secPurpose: string | null;
  /** Purpose, X-Purpose or X-Moz: older names of the same header. */
  purpose: string | null;
};

/**
 * The kind of bot that the request itself shows, regardless of its user agent; "" for none. A prefetch that becomes a
 * visit sends no second request, but it is unknown whether a human saw it, so it does not count as a click.
 */
export function requestBotKind(signals: BotSignals): "head" | "prefetch" | "" {
  if (signals.method.toUpperCase() === "HEAD") return "head";
  return isPrefetch(signals.secPurpose) || isPrefetch(signals.purpose) ? "prefetch" : "";
}

function isPrefetch(purpose: string | null): boolean {
  return purpose !== null && /\b(?:prefetch|prerender|preview)\b/i.test(purpose);
}
