/** The texts of reports and alerts, in one language. */
export type NotificationTexts = {
  /** The value of `<html lang>`, and the locale of numbers, dates and countries. */
  language: string;
  weekly: (subject: string) => string;
  monthly: (subject: string) => string;
  clicks: string;
  visitors: string;
  /** A change of a number; `percent` is formatted and without a sign. */
  up: (percent: string) => string;
  down: (percent: string) => string;
  unchanged: string;
  /** Replaces a change when the previous period has no clicks. */
  noComparison: string;
  comparedWith: (period: string) => string;
  topLinks: string;
  countries: string;
  referrers: string;
  direct: string;
  unknown: string;
  deleted: (link: string) => string;
  noClicks: string;
  openReport: string;
  spike: (subject: string) => string;
  drop: (subject: string) => string;
  /** The sentences of alerts about a day. */
  spikeText: (day: string, clicks: string, typical: string) => string;
  dropText: (day: string, clicks: string, typical: string) => string;
  domain: (domain: string) => string;
  domains: (count: string) => string;
  domainBegan: (domain: string, until: string) => string;
  domainEndsSoon: (domain: string, until: string) => string;
  domainHint: string;
  openDomains: string;
  /** The subject of a mail that is sent as a test. */
  test: (subject: string) => string;
  testAlert: string;
  /** Why the recipient gets this mail. */
  why: (workspace: string) => string;
  unsubscribe: string;
  manage: string;
};

const english: NotificationTexts = {
  language: "en",
  weekly: (subject) => `Weekly report: ${subject}`,
  monthly: (subject) => `Monthly report: ${subject}`,
  clicks: "Clicks",
  visitors: "Visitors",
  up: (percent) => `Up ${percent}`,
  down: (percent) => `Down ${percent}`,
  unchanged: "No change",
  noComparison: "No earlier data",
  comparedWith: (period) => `Compared with ${period}`,
  topLinks: "Top links",
  countries: "Countries",
  referrers: "Referrers",
  direct: "Direct",
  unknown: "Unknown",
  deleted: (link) => `${link} (deleted)`,
  noClicks: "No clicks in this period.",
  openReport: "View report",
  spike: (subject) => `Traffic spike: ${subject}`,
  drop: (subject) => `Traffic drop: ${subject}`,
  spikeText: (day, clicks, typical) => `Clicks on ${day}: ${clicks}. Usual for this weekday: ${typical}.`,
  dropText: (day, clicks, typical) => `Clicks on ${day}: ${clicks}. Usual for this weekday: ${typical}.`,
  domain: (domain) => `Domain check failed: ${domain}`,
  domains: (count) => `Domain check failed for ${count} domains`,
  domainBegan: (domain, until) => `The TXT record of ${domain} is missing. Its links work until ${until}.`,
  domainEndsSoon: (domain, until) => `The TXT record of ${domain} is still missing. Its links stop on ${until}.`,
  domainHint: "Add the record at your DNS provider. The domain’s page shows its name and value.",
  openDomains: "View domains",
  test: (subject) => `Test: ${subject}`,
  testAlert: "This is a test: nothing has happened. When it does, you receive a mail like this one.",
  why: (workspace) => `You receive this e-mail because you subscribed to it in ${workspace}.`,
  unsubscribe: "Unsubscribe",
  manage: "Manage notifications",
};

const german: NotificationTexts = {
  language: "de",
  weekly: (subject) => `Wochenbericht: ${subject}`,
  monthly: (subject) => `Monatsbericht: ${subject}`,
  clicks: "Klicks",
  visitors: "Besucher",
  up: (percent) => `${percent} mehr`,
  down: (percent) => `${percent} weniger`,
  unchanged: "Unverändert",
  noComparison: "Keine früheren Daten",
  comparedWith: (period) => `Verglichen mit ${period}`,
  topLinks: "Top-Links",
  countries: "Länder",
  referrers: "Referrer",
  direct: "Direkt",
  unknown: "Unbekannt",
  deleted: (link) => `${link} (gelöscht)`,
  noClicks: "Keine Klicks in diesem Zeitraum.",
  openReport: "Bericht öffnen",
  spike: (subject) => `Ungewöhnlich viele Klicks: ${subject}`,
  drop: (subject) => `Ungewöhnlich wenige Klicks: ${subject}`,
  spikeText: (day, clicks, typical) => `Klicks am ${day}: ${clicks}. Üblich an diesem Wochentag: ${typical}.`,
  dropText: (day, clicks, typical) => `Klicks am ${day}: ${clicks}. Üblich an diesem Wochentag: ${typical}.`,
  domain: (domain) => `Domain-Prüfung fehlgeschlagen: ${domain}`,
  domains: (count) => `Domain-Prüfung fehlgeschlagen: ${count} Domains`,
  domainBegan: (domain, until) => `Der TXT-Eintrag von ${domain} fehlt. Die Links funktionieren noch bis ${until}.`,
  domainEndsSoon: (domain, until) =>
    `Der TXT-Eintrag von ${domain} fehlt noch immer. Die Links funktionieren ab ${until} nicht mehr.`,
  domainHint: "Fügen Sie den Eintrag bei Ihrem DNS-Anbieter hinzu. Name und Wert stehen auf der Seite der Domain.",
  openDomains: "Domains öffnen",
  test: (subject) => `Test: ${subject}`,
  testAlert: "Dies ist ein Test: Es ist nichts geschehen. Im Ernstfall erhalten Sie eine E-Mail wie diese.",
  why: (workspace) => `Sie erhalten diese E-Mail, weil Sie sie in ${workspace} abonniert haben.`,
  unsubscribe: "Abbestellen",
  manage: "Benachrichtigungen verwalten",
};

const chinese: NotificationTexts = {
  language: "zh-Hans",
  weekly: (subject) => `周报：${subject}`,
  monthly: (subject) => `月报：${subject}`,
  clicks: "点击",
  visitors: "访客",
  up: (percent) => `增长 ${percent}`,
  down: (percent) => `下降 ${percent}`,
  unchanged: "无变化",
  noComparison: "无此前数据可对比",
  comparedWith: (period) => `对比 ${period}`,
  topLinks: "热门链接",
  countries: "国家/地区",
  referrers: "引荐来源",
  direct: "直接访问",
  unknown: "未知",
  deleted: (link) => `${link}（已删除）`,
  noClicks: "此期间没有点击。",
  openReport: "查看报告",
  spike: (subject) => `流量激增：${subject}`,
  drop: (subject) => `流量骤降：${subject}`,
  spikeText: (day, clicks, typical) => `${day}有 ${clicks} 次点击，往周同日通常为 ${typical} 次。`,
  dropText: (day, clicks, typical) => `${day}有 ${clicks} 次点击，往周同日通常为 ${typical} 次。`,
  domain: (domain) => `域名检查失败：${domain}`,
  domains: (count) => `${count} 个域名检查失败`,
  domainBegan: (domain, until) => `未找到 ${domain} 的 TXT 记录。其链接可用至 ${until}。`,
  domainEndsSoon: (domain, until) => `仍未找到 ${domain} 的 TXT 记录。其链接将于 ${until} 失效。`,
  domainHint: "请在您的 DNS 服务商处添加该记录，其名称和值见域名页面。",
  openDomains: "查看域名",
  test: (subject) => `测试：${subject}`,
  testAlert: "这是一封测试邮件，并未发生异常。出现异常时，您会收到类似的邮件。",
  why: (workspace) => `您收到此邮件，是因为您在 ${workspace} 中订阅了此通知。`,
  unsubscribe: "退订",
  manage: "管理通知",
};

/** TABLE of the texts by language. */
export const notificationTexts: Readonly<Record<"en" | "de" | "zh", NotificationTexts>> = {
  en: english,
  de: german,
  zh: chinese,
};
