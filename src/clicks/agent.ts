/**
 * Determines browser, operating system and device from a user agent: bowser's result, corrected by the tables below
 * where it is wrong or differs from the names in our reports.
 *
 * 1. Names come from closed lists (bowser's and ours), so that a forged user agent cannot add rows to a report.
 * 2. An app's own browser has the app's name: "Instagram" says more about a click than "Safari".
 *    A web view that names no app counts as the browser that it is based on (Chrome, Safari).
 * 3. Devices are Desktop, Mobile and Tablet, as in other analytics products. As there, televisions, consoles and
 *    headsets count as Desktop (Plausible's and Vercel's rule), handheld consoles as Mobile.
 * 4. Names begin with a capital letter, because filters capitalize the values in a query. iOS and macOS are the
 *    exceptions, which filters must not change.
 * 5. Safari on an iPad, in its default "desktop" mode, sends the user agent of a Mac and cannot be told from one.
 */
import * as bowser from "bowser";
import { LruCache } from "../base/lru-cache.ts";
import { clickHeaderMax } from "./click.ts";

/** The properties that a user agent shows; each is "" when unknown. */
export type Agent = {
  readonly browser: string;
  readonly os: string;
  readonly device: Device | "";
};

/** The kinds of devices in reports. */
type Device = "Desktop" | "Mobile" | "Tablet";

/** Size of the cache of user agents, at about 400 bytes each; at most twice as many. */
const recentAgentsMax = 5_000;
const recent = new LruCache<string, Agent>(recentAgentsMax);

type Rule<Name extends string> = readonly [Name, RegExp];

/** TABLE of browsers that bowser does not know or mistakes for others, tried in this order before bowser. */
const browserRules: readonly Rule<string>[] = [
  ["Instagram", /\bInstagram[ /]\d/],
  ["Threads", /\bBarcelona \d/],
  ["Messenger", /\bFBAN\/Messenger|\bFB_IAB\/(?:MESSENGER|Orca)/],
  ["Facebook", /\bFBAN\/|\bFB_IAB\/|\bFBAV\//],
  ["TikTok", /\bmusical_ly|\btrill_\d|BytedanceWebview|\bTikTok\b/],
  ["LinkedIn", /\[LinkedInApp\]/],
  ["Twitter", /\bTwitter for (?:iPhone|iPad|Android)|\bTwitterAndroid\b/],
  ["Snapchat", /Snapchat\/?\d/],
  ["Pinterest", /\[Pinterest\//],
  ["WeChat", /\bMicroMessenger\//],
  ["LINE", /\bLine\/\d/],
  ["KakaoTalk", /\bKAKAOTALK\b/],
  ["Telegram", /\bTelegram-Android\//],
  ["Reddit", /\bReddit\/(?:Version|\d)/],
  ["Alipay", /\bAlipayClient\//],
  ["Weibo", /\bWeibo\b|__weibo__/],
  ["Baidu", /\bbaiduboxapp\//],
  ["QQ", / QQ\/\d/],
  ["Naver", /\bNAVER\(inapp/],
  ["Bing", /\bBing(?:Sapphire|Web)\//],
  ["Google App", /\bGSA\/|\bGoogleApp\//],
  ["Firefox Focus", /\b(?:Focus|Klar)\/\d/],
  ["Huawei Browser", /\bHuaweiBrowser\//],
  ["MIUI Browser", /\bMiuiBrowser\b/],
  ["Opera", /\bOPR\/|\bOPX\/|\bOPT\/|\bOPiOS\/|\bOpera[ /]/],
  ["Ecosia", /\(Ecosia (?:ios|android)@/],
  ["DuckDuckGo", /\b(?:DuckDuckGo|Ddg)\/\d/],
  ["Yandex Browser", /\bYaSearchBrowser\/|\bYaApp_/],
  ["Oculus Browser", /\bOculusBrowser\//],
  ["UC Browser", /\bUC ?Browser|\bUCWEB/],
  ["Nintendo Browser", /\bNintendo(?:Browser| Switch| 3DS| WiiU)/],
  ["PlayStation", /\bPlay[Ss]tation\b/],
  ["Brave", /\bBrave(?:\/| Chrome\/)/i],
  ["Microsoft Office", /\bms-office\b|^Microsoft Office\//],
  ["Claude-User", /\bClaude-User\b/],
  ["Claude-SearchBot", /\bClaude-SearchBot\b/],
];

/** TABLE of bowser's names that differ from those in our reports; "" for a name that says nothing. */
const browserNames: Readonly<Record<string, string>> = {
  "Microsoft Edge": "Edge",
  "Samsung Internet for Android": "Samsung Internet",
  "NAVER Whale Browser": "Whale",
  "QQ Browser Lite": "QQ Browser",
  "Opera Coast": "Opera",
  BingCrawler: "Bingbot",
  SlackBot: "Slackbot",
  YahooSlurp: "Slurp",
  AmazonBot: "Amazonbot",
  BaiduSpider: "Baiduspider",
  Generic: "",
};
const bowserBrowsers: ReadonlySet<string> = new Set(Object.values(bowser.BROWSER_MAP));

/** TABLE of systems that bowser does not know or mistakes for others, tried in this order before bowser. */
const osRules: readonly Rule<string>[] = [
  ["Windows Phone", /\bWindows Phone|\bIEMobile\b/],
  ["PlayStation", /\bPlay[Ss]tation\b/],
  ["Nintendo", /\bNintendo\b/],
  ["KaiOS", /\bKAIOS\//],
  ["Tizen", /\bTizen\b/],
  ["WebOS", /\b[Ww]eb[0O]S\b/],
  ["Chrome OS", /\bCrOS\b/],
  ["Chromecast", /\bCrKey\b/],
  ["Symbian", /\bSymbian|\bSeries60\b/],
  ["BlackBerry", /\bBlackBerry|\bBB10\b/],
  ["HarmonyOS", /\bOpenHarmony\b/],
  ["iOS", /\(Macintosh;.* Mobile\/\d/], // an app's web view on an iPad in "desktop" mode
  ["macOS", /\bMac_PowerPC\b/],
  ["Android", /\bAndroid\b|\bSilk-Accelerated=/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["FreeBSD", /\bFreeBSD\b/],
  ["OpenBSD", /\bOpenBSD\b/],
];

/** TABLE of bowser's names for systems that differ from those in our reports. */
const osNames: Readonly<Record<string, string>> = { "PlayStation 4": "PlayStation" };
const bowserSystems: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP));

/** TABLE of devices whose user agents mislead bowser, tried in this order before bowser. */
const deviceRules: readonly Rule<Device>[] = [
  [
    "Mobile",
    /\bPlayStation (?:Vita|Portable)|\bNintendo 3DS|\bWindows Phone|\bIEMobile\b|\bKAIOS\/|\bSymbian|^Dalvik\//,
  ],
  // Televisions and set-top boxes: most run Android and lack "Mobile", and would count as tablets.
  [
    "Desktop",
    /\bSMART-TV|\bSmart-?TV|\bGoogle ?TV|\bAndroid TV|\bApple ?TV|\bHbbTV\/|\bNetCast\b|\bWeb0S\b|\bBRAVIA\b/i,
  ],
  ["Desktop", /; AFT[A-Z]\w*|\bCrKey\b|\bNexus Player\b|\bSHIELD Android TV|\bMi(?:TV|BOX)\b|\bRoku|\bVIZIO\b|\bOMI\//],
  ["Desktop", /\bPlay[Ss]tation\b|\bXbox\b|\bNintendo\b|\bOculusBrowser\/|\bQuest\b/],
  ["Tablet", /\biPad\b|\bKF[A-Z]{2,5}(?:WI)? Build\/|\b(?:Xoom|PlayBook|TouchPad)\b|\bNOOK\b|; Tablet;/],
  ["Tablet", /\(Macintosh;.* Mobile\/\d|\bSilk-Accelerated=/],
  ["Desktop", /\bCrOS\b|\bWindows NT\b|\bMac_PowerPC\b|\bms-office\b|^Microsoft Office\//],
  // Google's rule for Android, which other browsers follow: phones send "Mobile", tablets do not.
  ["Mobile", /\bAndroid\b.*\bMobile\b|\bOpera Mini\//],
  ["Tablet", /\bAndroid\b.*(?:\bSafari|\bFirefox)\//],
];

/**
 * Browser, system and device of a user agent. Only the first clickHeaderMax characters count.
 * Guarantee: never throws; bounded in time for any text.
 */
export function parseAgent(userAgent: string): Agent {
  const text = userAgent.slice(0, clickHeaderMax);
  const known = recent.get(text);
  if (known !== undefined) return known;
  const agent = classify(text);
  recent.set(text, agent);
  return agent;
}

function classify(text: string): Agent {
  // bowser mistakes any "gsa" for Google's app, also in "BingSapphire". browserRules recognizes the real one.
  const readable = text.replace(/gsa/gi, "");
  // bowser throws for an empty text.
  if (readable.trim() === "") return { browser: "", os: "", device: "" };
  const parser = bowser.getParser(readable, true);
  const os = osOf(text, parser);
  return { browser: browserOf(text, parser), os, device: deviceOf(text, parser, os) };
}

type BowserParser = ReturnType<typeof bowser.getParser>;

function browserOf(text: string, parser: BowserParser): string {
  const name = firstMatch(browserRules, text);
  if (name !== undefined) return name;
  const bowserName = parser.parseBrowser().name ?? "";
  if (!bowserBrowsers.has(bowserName)) return "";
  return browserNames[bowserName] ?? bowserName;
}

function osOf(text: string, parser: BowserParser): string {
  const name = firstMatch(osRules, text);
  if (name !== undefined) return name;
  const bowserName = parser.parseOS().name ?? "";
  if (!bowserSystems.has(bowserName)) return "";
  return osNames[bowserName] ?? bowserName;
}

function deviceOf(text: string, parser: BowserParser, os: string): Device | "" {
  const device = firstMatch(deviceRules, text);
  if (device !== undefined) return device;
  switch (parser.parsePlatform().type) {
    case "desktop":
    case "tv":
      return "Desktop";
    case "mobile":
      return "Mobile";
    case "tablet":
      return "Tablet";
    case "bot":
      return "";
    default:
      return deviceOfOs(os);
  }
}

function deviceOfOs(os: string): Device | "" {
  switch (os) {
    case "Windows":
    case "macOS":
    case "Linux":
    case "FreeBSD":
    case "OpenBSD":
      return "Desktop";
    case "Android":
    case "iOS":
    case "HarmonyOS":
    case "BlackBerry":
    case "Bada":
      return "Mobile";
    default:
      return "";
  }
}

function firstMatch<Name extends string>(rules: readonly Rule<Name>[], text: string): Name | undefined {
  return rules.find(([, pattern]) => pattern.test(text))?.[0];
}
