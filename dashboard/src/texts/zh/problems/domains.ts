import { joined, type Pair, type Sentences } from "../../sentences.ts";

const flaws: Sentences = {
  "is empty": "为空",
  "is longer than {} characters": "超过 {0} 个字符",
  "ends in a number, as IP addresses do": "以数字结尾，与 IP 地址一样",
  "has a scheme": "含有 https:// 之类的协议",
  "has a space": "含有空格",
  "has a path or query": "含有路径或查询参数",
  "has an @": "含有 @",
  "has a port": "含有端口",
  "has a percent sign": "含有百分号",
  "has characters that no domain name can have": "含有域名不能使用的字符",
  "begins with www., which every domain answers too; leave it out": "以 www. 开头；每个域名都会同时响应 www.，请省略",
  "has no dot": "没有点",
  "has two dots in a row or begins with a dot": "含有连续的两个点，或以点开头",
  "has a part longer than {} characters": "含有超过 {0} 个字符的部分",
  "has an underscore": "含有下划线",
  "has a part that begins or ends with a hyphen": "含有以连字符开头或结尾的部分",
};

const names = Object.entries(flaws).map((flaw) =>
  joined(
    ["must be a domain name such as go.example.com, but this ", "必须是域名，例如 go.example.com，但输入的内容"],
    flaw,
  ),
);

const expected: Pair = [
  "Expected a TXT record at _waypost.{} with the value waypost-verify={}, but ",
  "_waypost.{0} 处应有值为 waypost-verify={1} 的 TXT 记录，但",
];

const found = [
  ["this name does not exist", "该名称不存在"],
  ["found no TXT record there", "在此处没有找到 TXT 记录"],
  ["found {} and {} more", "查到的是 {0} 及另外 {1} 条"],
  ["found {}", "查到的是 {0}"],
] as const;

const sources = [
  ["", ""],
  [" (asked its name server {})", "（已查询其域名服务器 {0}）"],
] as const;

const whatFollows = [
  ["", ""],
  [
    ". It has been missing for 7 days, so the domain is pending again and its links no longer redirect",
    "。记录已缺失 7 天，因此域名恢复为待验证，其链接不再跳转",
  ],
  [". Its links redirect until {}", "。链接在 {0} 之前仍可使用"],
] as const;

const failures: Sentences = {
  "no DNS server answered in time": "没有 DNS 服务器及时响应",
  "the name servers of the domain failed to answer (SERVFAIL)": "该域名的域名服务器出错（SERVFAIL）",
  "the DNS server refused the query (REFUSED)": "DNS 服务器拒绝查询（REFUSED）",
  "the DNS server could not be reached": "无法连接 DNS 服务器",
  "the DNS server's response was invalid": "DNS 服务器的响应无效",
  "no DNS server is configured": "未配置 DNS 服务器",
};

const verdicts = [
  ...found.flatMap((result) =>
    sources.flatMap((source) => whatFollows.map((then) => joined(expected, result, source, then))),
  ),
  ...Object.entries(failures).map((failure) =>
    joined(expected, ["the check failed: ", "检查失败："], failure, [
      ". Nothing was changed; try again later",
      "。没有任何更改，请稍后重试",
    ]),
  ),
];

/** Sentences about domains and their checks. */
export const domains: Sentences = {
  "{} is not verified, so new links on it would not redirect. Verify it first: GET /v1/domains/{}/dns shows the missing record":
    "域名 {0} 尚未验证，其上的新链接不会跳转。请先验证：GET /v1/domains/{=1}/dns 会显示缺少哪条记录",
  ...Object.fromEntries([...names, ...verdicts]),
  "The certificate authority limits orders or is unavailable. The next attempt is possible at {}":
    "证书颁发机构限制申请次数或无法访问。最早可在 {0} 重试",
  "Waypost limits how often an order is repeated. The next attempt is possible at {}":
    "Waypost 限制重复申请的频率。最早可在 {0} 重试",
  "{} is verified: its TXT record was found at _waypost.{}": "域名 {0} 已验证：在 _waypost.{1} 找到了 TXT 记录",
  "{} is verified: its name server {} has the TXT record. Other DNS servers see it within {} seconds":
    "域名 {0} 已验证：其域名服务器 {1} 已有该 TXT 记录。其他 DNS 服务器将在 {2} 秒内看到",
  "{} is verified: its name server {} has the TXT record. Other DNS servers still have an older answer":
    "域名 {0} 已验证：其域名服务器 {1} 已有该 TXT 记录。其他 DNS 服务器的回答尚未更新",
  "{} was changed during this check. Nothing was stored; check again":
    "域名 {0} 在此次验证期间被更改。没有保存任何内容，请重新检查",
  "The TXT record was found, but {} is already verified in another workspace, so it stays pending here":
    "已找到 TXT 记录，但 {0} 已在另一个工作区验证，因此在此仍为待验证",
  "{} is this service's own domain; it needs no record": "域名 {0} 是本服务自己的，不需要记录",
  "{} is this service's own domain; it cannot be deleted": "域名 {0} 是本服务自己的，不能删除",
  "This workspace has {} domains, which is the limit; delete one first":
    "此工作区已有 {0} 个域名，已达上限，请先删除一个",
  "the domain {} is in use": "域名 {0} 已被使用",
  "this workspace already has {}": "此工作区已有 {0}",
  "Other workspaces have links on {}, so it cannot be deleted or renamed":
    "其他工作区在 {0} 上有链接，因此不能删除或重命名",
  "this workspace has no domain; add one first": "此工作区没有域名，请先添加一个",
  "this workspace does not have this domain. Add it first, or leave it out": "此工作区没有这个域名。请先添加，或省略它",
  "can only be set when the domain is created": "只能在添加域名时设置",
  "the service's own domain is set by WAYPOST_URL and cannot be renamed here":
    "本服务自己的域名由 WAYPOST_URL 决定，不能在此重命名",
  "must be an http or https URL such as https://example.com/video.mp4":
    "必须是 http 或 https 网址，例如 https://example.com/video.mp4",
  "must be an http or https URL such as https://example.com/a-long-page":
    "必须是 http 或 https 网址，例如 https://example.com/a-long-page",
  "must be an http or https URL such as https://example.com/gone":
    "必须是 http 或 https 网址，例如 https://example.com/gone",
};
