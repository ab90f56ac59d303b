/**
 * The services that bring visitors under several host names, and the channel of each. Compiled by hand from the
 * services' own pages, app stores and public DNS; last reviewed on 2026-11-24. Hosts are in lower case, without "www.".
 *
 * 1. `domains` include all their subdomains, `hosts` do not. The longest match wins, so that mail.google.com is Gmail.
 * 2. A trailing ".*" stands for ".com" and the domains of all countries: google.de, google.co.uk, google.com.br.
 * 3. Names of apps (com.google.android.gm) are the hosts of android-app:// referrers.
 * 4. A service belongs to one channel. Names contain no comma and begin with no hyphen, because filters parse these.
 */

/** The channels, in the order of the reference. */
export const channels = ["direct", "search", "social", "messaging", "email", "ai", "referral"] as const;
export type Channel = (typeof channels)[number];

/** The domains of a service, and its hosts outside these domains; each is a list separated by spaces. */
type ReferrerService = { domains?: string; hosts?: string };

/**
 * TABLE of the services by channel and name. A click with any other referrer has the channel "referral", and one
 * without a referrer "direct".
 */
export const referrerServices: Record<Exclude<Channel, "direct">, Record<string, ReferrerService>> = {
  search: {
    Google: {
      hosts:
        "google.* google.cat images.google.* m.google.com encrypted.google.com cse.google.com " +
        "com.google.android.googlequicksearchbox com.google.android.apps.searchlite",
    },
    Bing: { domains: "bing.com", hosts: "com.microsoft.bing" },
    Yahoo: { domains: "search.yahoo.com search.yahoo.co.jp", hosts: "yahoo.* m.yahoo.co.jp" },
    DuckDuckGo: { domains: "duckduckgo.com", hosts: "com.duckduckgo.mobile.android" },
    Ecosia: { domains: "ecosia.org", hosts: "com.ecosia.android" },
    "Brave Search": { domains: "search.brave.com" },
    Startpage: { domains: "startpage.com" },
    Qwant: { domains: "qwant.com", hosts: "com.qwant.liberty" },
    Kagi: { domains: "kagi.com" },
    Mojeek: { domains: "mojeek.com" },
    Swisscows: { domains: "swisscows.com" },
    MetaGer: { domains: "metager.org metager.de" },
    Yandex: { hosts: "yandex.* ya.ru m.yandex.ru ru.yandex.searchplugin com.yandex.browser" },
    Baidu: { hosts: "baidu.com m.baidu.com com.baidu.searchbox" },
    Sogou: { domains: "sogou.com" },
    "360 Search": { domains: "so.com" },
    Shenma: { domains: "sm.cn" },
    Naver: { domains: "search.naver.com", hosts: "naver.com m.naver.com com.nhn.android.search" },
    Daum: { domains: "search.daum.net", hosts: "daum.net m.daum.net" },
    Seznam: { domains: "search.seznam.cz", hosts: "seznam.cz cz.seznam.sbrowser" },
    "Petal Search": { domains: "petalsearch.com" },
    "Cốc Cốc": { domains: "coccoc.com" },
    "Mail.ru Search": { domains: "go.mail.ru" },
    "AOL Search": { domains: "search.aol.com" },
    Ask: { domains: "ask.com" },
    Dogpile: { domains: "dogpile.com" },
    Lilo: { domains: "search.lilo.org" },
    Presearch: { domains: "presearch.com" },
  },
  social: {
    Facebook: { domains: "facebook.com fb.com fb.me fb.watch", hosts: "com.facebook.katana com.facebook.lite" },
    Instagram: { domains: "instagram.com ig.me", hosts: "com.instagram.android" },
    Threads: { domains: "threads.net threads.com", hosts: "com.instagram.barcelona" },
    X: { domains: "x.com twitter.com t.co", hosts: "com.twitter.android" },
    LinkedIn: { domains: "linkedin.com lnkd.in", hosts: "com.linkedin.android" },
    Reddit: { domains: "reddit.com redd.it", hosts: "com.reddit.frontpage" },
    Pinterest: { domains: "pinterest.* pin.it", hosts: "com.pinterest" },
    YouTube: { domains: "youtube.com youtu.be", hosts: "com.google.android.youtube" },
    TikTok: { domains: "tiktok.com", hosts: "com.zhiliaoapp.musically com.ss.android.ugc.trill" },
    Snapchat: { domains: "snapchat.com", hosts: "com.snapchat.android" },
    Bluesky: { domains: "bsky.app", hosts: "xyz.blueskyweb.app" },
    Mastodon: {
      domains:
        "mastodon.social mastodon.online mstdn.social mstdn.jp mas.to fosstodon.org hachyderm.io " +
        "infosec.exchange mastodon.world troet.cafe",
      hosts: "org.joinmastodon.android",
    },
    Tumblr: { domains: "tumblr.com", hosts: "com.tumblr" },
    Quora: { domains: "quora.com", hosts: "com.quora.android" },
    "Hacker News": { domains: "news.ycombinator.com" },
    "Product Hunt": { domains: "producthunt.com" },
    Lemmy: { domains: "lemmy.world lemmy.ml" },
    Twitch: { domains: "twitch.tv", hosts: "tv.twitch.android.app" },
    Vimeo: { domains: "vimeo.com" },
    Dailymotion: { domains: "dailymotion.com dai.ly" },
    Flickr: { domains: "flickr.com flic.kr" },
    XING: { domains: "xing.com", hosts: "com.xing.android" },
    Nextdoor: { domains: "nextdoor.*", hosts: "com.nextdoor" },
    VK: { domains: "vk.com vk.ru", hosts: "com.vkontakte.android" },
    Odnoklassniki: { domains: "ok.ru", hosts: "ru.ok.android" },
    Weibo: { domains: "weibo.com weibo.cn", hosts: "com.sina.weibo" },
    Xiaohongshu: { domains: "xiaohongshu.com xhslink.com", hosts: "com.xingin.xhs" },
    Douyin: { domains: "douyin.com", hosts: "com.ss.android.ugc.aweme" },
    Zhihu: { domains: "zhihu.com", hosts: "com.zhihu.android" },
    Bilibili: { domains: "bilibili.com b23.tv", hosts: "tv.danmaku.bili" },
    Douban: { domains: "douban.com" },
  },
  messaging: {
    WhatsApp: { domains: "whatsapp.com wa.me", hosts: "com.whatsapp com.whatsapp.w4b" },
    Telegram: { domains: "telegram.org t.me telegram.me", hosts: "org.telegram.messenger org.telegram.messenger.web" },
    Messenger: { domains: "messenger.com m.me", hosts: "com.facebook.orca" },
    Signal: { domains: "signal.org signal.me", hosts: "org.thoughtcrime.securesms" },
    Discord: { domains: "discord.com discord.gg discordapp.com", hosts: "com.discord" },
    Slack: { domains: "slack.com", hosts: "com.slack" },
    "Microsoft Teams": {
      domains: "teams.microsoft.com teams.live.com teams.cloud.microsoft teams.cdn.office.net",
      hosts: "com.microsoft.teams",
    },
    "Google Chat": { domains: "chat.google.com", hosts: "com.google.android.apps.dynamite" },
    "Google Messages": { domains: "messages.google.com", hosts: "com.google.android.apps.messaging" },
    LINE: { domains: "line.me", hosts: "jp.naver.line.android" },
    KakaoTalk: { hosts: "com.kakao.talk" },
    WeChat: { domains: "wechat.com weixin.qq.com", hosts: "wx.qq.com wx2.qq.com com.tencent.mm" },
    QQ: { hosts: "com.tencent.mobileqq" },
    Viber: { domains: "viber.com", hosts: "com.viber.voip" },
    Skype: { domains: "skype.com", hosts: "com.skype.raider" },
    Threema: { domains: "threema.ch", hosts: "ch.threema.app" },
    Element: { domains: "app.element.io", hosts: "im.vector.app io.element.android.x" },
    Zalo: { domains: "zalo.me", hosts: "com.zing.zalo" },
  },
  email: {
    Gmail: { domains: "mail.google.com", hosts: "com.google.android.gm com.google.android.gm.lite" },
    Outlook: {
      domains:
        "outlook.com outlook.live.com mail.live.com outlook.office.com outlook.office365.com outlook.cloud.microsoft",
      hosts: "com.microsoft.office.outlook",
    },
    "Yahoo Mail": { domains: "mail.yahoo.com mail.yahoo.co.jp", hosts: "com.yahoo.mobile.client.android.mail" },
    "Proton Mail": { domains: "mail.proton.me mail.protonmail.com", hosts: "ch.protonmail.android" },
    "iCloud Mail": { hosts: "icloud.com" },
    "AOL Mail": { domains: "mail.aol.com", hosts: "com.aol.mobile.aolapp" },
    GMX: {
      domains: "gmx.net gmx.com gmx.de gmx.at gmx.ch deref-gmx.net deref-gmx.com",
      hosts: "de.gmx.mobile.android.mail",
    },
    "WEB.DE": { domains: "web.de deref-web.de deref-web-02.de", hosts: "de.web.mobile.android.mail" },
    "T-Online Mail": { domains: "email.t-online.de" },
    "Mail.ru Mail": { domains: "e.mail.ru", hosts: "ru.mail.mailapp" },
    "Yandex Mail": { domains: "mail.yandex.*", hosts: "ru.yandex.mail" },
    "QQ Mail": { domains: "mail.qq.com", hosts: "com.tencent.androidqqmail" },
    "NetEase Mail": { domains: "mail.163.com mail.126.com", hosts: "com.netease.mail" },
    "Naver Mail": { domains: "mail.naver.com", hosts: "com.nhn.android.mail" },
    "Seznam Email": { domains: "email.seznam.cz", hosts: "cz.seznam.email" },
    "Zoho Mail": { domains: "mail.zoho.com mail.zoho.eu mail.zoho.in", hosts: "com.zoho.mail" },
    Fastmail: { domains: "fastmail.com", hosts: "com.fastmail.app" },
    HEY: { domains: "app.hey.com" },
    Superhuman: { domains: "mail.superhuman.com" },
    "Orange Mail": { domains: "webmail.orange.fr messagerie.orange.fr mail02.orange.fr" },
    "Free Mail": { domains: "webmail.free.fr" },
    "Libero Mail": { domains: "mail.libero.it", hosts: "it.iol.mail" },
    Posteo: { domains: "posteo.de" },
    "mailbox.org": { domains: "app.mailbox.org office.mailbox.org" },
    Tuta: { domains: "app.tuta.com mail.tutanota.com", hosts: "de.tutao.tutanota" },
    "Samsung Email": { hosts: "com.samsung.android.email.provider" },
    Thunderbird: { hosts: "net.thunderbird.android com.fsck.k9" },
    Mailchimp: { domains: "mailchi.mp campaign-archive.com list-manage.com" },
  },
  ai: {
    ChatGPT: { domains: "chatgpt.com chat.openai.com", hosts: "com.openai.chatgpt" },
    Claude: { domains: "claude.ai", hosts: "claude.com com.anthropic.claude" },
    Gemini: { domains: "gemini.google.com bard.google.com", hosts: "com.google.android.apps.bard" },
    NotebookLM: {
      domains: "notebooklm.google.com notebooklm.google",
      hosts: "com.google.android.apps.labs.language.tailwind",
    },
    Copilot: { domains: "copilot.microsoft.com copilot.cloud.microsoft", hosts: "com.microsoft.copilot" },
    Perplexity: { domains: "perplexity.ai", hosts: "ai.perplexity.app.android" },
    Grok: { domains: "grok.com", hosts: "ai.x.grok" },
    DeepSeek: { domains: "chat.deepseek.com", hosts: "deepseek.com com.deepseek.chat" },
    Mistral: { domains: "chat.mistral.ai", hosts: "ai.mistral.chat" },
    "Meta AI": { domains: "meta.ai", hosts: "com.facebook.stella" },
    Poe: { domains: "poe.com", hosts: "com.poe.android" },
    "You.com": { domains: "you.com" },
    Phind: { domains: "phind.com" },
    "Duck.ai": { domains: "duck.ai" },
    Lumo: { domains: "lumo.proton.me", hosts: "me.proton.android.lumo" },
    Kimi: { domains: "kimi.com kimi.ai kimi.moonshot.cn", hosts: "com.moonshot.kimichat" },
    Qwen: { domains: "chat.qwen.ai qianwen.com tongyi.com", hosts: "tongyi.aliyun.com" },
    Doubao: { domains: "doubao.com", hosts: "com.larus.nova" },
    Yuanbao: { domains: "yuanbao.tencent.com" },
    ERNIE: { domains: "yiyan.baidu.com" },
    Genspark: { domains: "genspark.ai" },
    Felo: { domains: "felo.ai" },
    "Character.AI": { domains: "character.ai", hosts: "ai.character.app" },
  },
  referral: {
    "Google News": { domains: "news.google.com", hosts: "com.google.android.apps.magazines" },
    "Google Docs": { domains: "docs.google.com drive.google.com", hosts: "com.google.android.apps.docs" },
    "Google Maps": { domains: "maps.google.com", hosts: "com.google.android.apps.maps" },
    Wikipedia: { domains: "wikipedia.org", hosts: "org.wikipedia" },
    GitHub: { hosts: "github.com gist.github.com com.github.android" },
    Notion: { domains: "notion.so notion.com", hosts: "notion.id" },
    Flipboard: { domains: "flipboard.com flip.it", hosts: "flipboard.app" },
    Feedly: { domains: "feedly.com", hosts: "com.devhd.feedly" },
    MSN: { domains: "msn.com" },
  },
};
