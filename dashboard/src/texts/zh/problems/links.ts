import type { Sentences } from "../../sentences.ts";

const ruleValues: Sentences = {
  "an ISO 3166-1 country code such as DE": " ISO 3166-1 国家/地区代码（例如 DE）",
  "an ISO 3166-2 code such as US-CA": " ISO 3166-2 代码（例如 US-CA）",
  "one of AF, AN, AS, EU, NA, OC, SA": " AF、AN、AS、EU、NA、OC 或 SA",
  "one of Desktop, Mobile, Tablet": " Desktop、Mobile 或 Tablet",
  "the name of an operating system such as iOS": "操作系统的名称（例如 iOS）",
  "the name of a browser such as Firefox": "浏览器的名称（例如 Firefox）",
  "a language such as de or pt-br": "语言（例如 de 或 pt-br）",
};

/** Sentences about links, tags, folders and templates. */
export const links: Sentences = {
  ...Object.fromEntries(
    Object.entries(ruleValues).map(([english, right]) => [
      `must be ${english}, or a list of these`,
      `必须是${right}，或这样的列表`,
    ]),
  ),
  "Only an owner of this workspace can change the links in the folder {}":
    "只有此工作区的所有者才能更改文件夹“{0}”中的链接",
  "is required, because no link has this externalId, so this request creates one":
    "必须提供：没有链接使用此 externalId，因此此请求会创建一个",
  "must match the one in the path, or be left out; this request creates a link with the one in the path":
    "必须与路径中的一致，或省略；此请求会以路径中的值创建链接",
  "contradicts disabledAt; send only one of them": "与 disabledAt 矛盾，请只发送其中一个",
  "leads to a host that the operator of this service has blocked": "指向本服务运营者已封禁的主机",
  "Only the operator of this service can block or unblock a link": "只有本服务的运营者才能封禁或解除封禁链接",
  "The destinations lead to more than {} other short links of this service, or to very large ones, too many to check for redirect loops; use fewer of them, or save fewer links at once":
    "这些目标网址通往本服务的 {0} 个以上其他短链接，或过大的短链接，无法检查是否存在跳转循环，请减少目标网址，或一次少保存一些链接",
  "leads back to this link, which causes a redirect loop": "会回到此链接，造成跳转循环",
  "Several of these links have the key {} on {}; each key must be unique":
    "多个链接在 {1} 上使用后缀“{0}”；每个后缀只能出现一次",
  "The root link of {} cannot be deleted; it is deleted with its domain": "域名 {0} 的根链接不能删除；它随域名一起删除",
  "The root link of {} keeps its key and its domain": "域名 {0} 的根链接不能更改后缀和域名",
  "must be a full URL, such as https://example.com/page": "必须是完整网址，例如 https://example.com/page",
  'must not begin with "{}:"; use a URL such as https://example.com/page':
    "不能以“{0}:”开头，请使用网址，例如 https://example.com/page",
  'must not begin with "{}:"; the operator allows {}, as in https://example.com/page':
    "不能以“{0}:”开头；运营者允许 {1}，例如 https://example.com/page",
  "must have at most {} characters including its UTM parameters": "连同 UTM 参数最多 {0} 个字符",
  "a link can have at most {} tags": "一个链接最多有 {0} 个标签",
  "this workspace has no tag {}": "此工作区没有标签“{0}”",
  "must begin with ext_, as in ext_12345": "必须以 ext_ 开头，例如 ext_12345",
  "Identify the link by linkId, externalId, or domain and key": "请用 linkId、externalId，或 domain 和 key 指明链接",
  "the folder {} already exists in this workspace": "此工作区已有文件夹“{0}”",
  "the tag {} already exists in this workspace": "此工作区已有标签“{0}”",
  "the UTM template {} already exists in this workspace": "此工作区已有 UTM 模板“{0}”",
  "This workspace has {} folders, which is the limit; delete one first":
    "此工作区已有 {0} 个文件夹，已达上限，请先删除一个",
  "This workspace has {} tags, which is the limit; delete one first": "此工作区已有 {0} 个标签，已达上限，请先删除一个",
  "only the creator of this view can make it private": "只有此视图的创建者可以将其设为私有",
  "This workspace has {} shared views, which is the limit; delete one first":
    "此工作区已有 {0} 个共享视图，已达上限，请先删除一个",
  "You have {} private views in this workspace, which is the limit; delete one first":
    "您在此工作区已有 {0} 个私有视图，已达上限，请先删除一个",
  "This workspace has {} UTM templates, which is the limit; delete one first":
    "此工作区已有 {0} 个 UTM 模板，已达上限，请先删除一个",
  "{} is reserved, because browsers and crawlers request it from every domain":
    "“{0}”是保留名称，因为浏览器和爬虫会向每个域名请求它",
  "must not have {} as its first path segment on this domain; this service uses that path itself":
    "在此域名上，路径的第一段不能是 {0}；该路径由本服务自身使用",
  "is too long: the prefix and {} random characters must have at most {} characters":
    "过长：前缀与 {0} 个随机字符合计最多 {1} 个字符",
  "must have at least one character besides slashes": "除斜杠外至少要有一个字符",
  "must contain only letters, digits, hyphens, underscores, slashes, dots and emoji":
    "只能包含字母、数字、连字符、下划线、斜杠、点和表情符号",
  "must not begin with an underscore": "不能以下划线开头",
  "must not begin with .well-known": "不能以 .well-known 开头",
  "must not end with .php or .php7": "不能以 .php 或 .php7 结尾",
  "must not have a path segment of dots only; browsers remove it": "不能有只含点的路径段；浏览器会将其移除",
  "must have {} to {} variants": "必须有 {0} 到 {1} 个版本",
  "must be later than startsAt; otherwise the link is never open": "必须晚于开始时间，否则链接永远不会生效",
  "must be later than testStartedAt; otherwise the test never runs": "必须晚于开始时间，否则测试永远不会进行",
  "is the URL of the link itself, which causes a redirect loop": "是该链接自身的网址，会造成跳转循环",
  "a value of more than {} characters cannot be restored, because the history does not store it":
    "超过 {0} 个字符的值无法恢复，因为历史记录没有保存它",
  "The creation of a link cannot be reverted; delete the link instead": "链接的创建无法还原，请改为删除链接",
  "a password that was changed or removed cannot be restored, because it is not stored; set a new one":
    "已更改或移除的密码无法恢复，因为系统不保存密码，请设置新密码",
  "must have 1 to {} values": "必须有 1 到 {0} 个值",
  "must have 1 to {} parameters": "必须有 1 到 {0} 个参数",
  "names must have 1 to {} characters, and values at most that many": "名称必须有 1 到 {0} 个字符，值的字符数上限相同",
  "must not have a field named __proto__": "不能包含名为 __proto__ 的字段",
  "must have at most {} rules": "最多有 {0} 条规则",
  "must be later than after; otherwise no visit matches": "必须晚于开始时间，否则没有访问能匹配",
  "must have at least one condition; visitors who match no rule get the link's url":
    "至少要有一个条件；不匹配任何规则的访客会前往链接的目标网址",
  "cannot be combined with startingAfter": "不能与 startingAfter 一起使用",
  "cannot be combined with page": "不能与 page 一起使用",
  "works with sortBy=createdAt only": "只能与 sortBy=createdAt 一起使用",
  "works with sortOrder=desc only": "只能与 sortOrder=desc 一起使用",
  "must be the id of a link of this workspace": "必须是此工作区中某个链接的 ID",
  "no unused key was found; request a longer one": "没有找到可用的后缀，请使用更长的后缀",
  '"{}" is taken on this domain': "“{0}”在此域名上已被占用",
  '"{}" is reserved until {} for the workspace that used it before': "“{0}”在 {1} 之前为原先使用它的工作区保留",
  "This link was deleted, and a deletion is permanent, so its changes cannot be reverted. Create a new link instead":
    "此链接已被永久删除，因此其更改无法还原。请改为创建新链接",
  "{} belongs to another link of this workspace": "“{0}”属于此工作区的另一个链接",
  "******** stands for a hidden password; send the password itself": "******** 代表隐藏的密码，请发送密码本身",
  "{} links of this workspace are being purged, which is the limit; try again later":
    "正在清除此工作区 {0} 个链接的点击，已达上限，请稍后重试",
  "must have at least one link": "至少要包含一个链接",
  "must have at most {} links": "最多包含 {0} 个链接",
  "must have at least one link, here or in externalIds": "至少要有一个链接，在此处或在 externalIds 中",
  "must be write or read": "必须是 write 或 read",
  "is missing; it must be a key": "缺失，必须是后缀",
  "is missing; it must be the URL of a page": "缺失，必须是网页的网址",
  "Too many pages are being read at once; try again in a few seconds": "同时读取的网页过多，请几秒后重试",
  "is missing; it must be the URL that the QR code contains": "缺失，必须是二维码所含的网址",
  "The QR code could not be drawn; try again": "无法绘制二维码，请重试",
  "must have at most {} characters at error correction level {}": "纠错级别为 {1} 时最多 {0} 个字符",
  "must be at least {} for a URL of this length, this margin and this style":
    "对于此长度的网址、此边距和此样式，至少为 {0}",
  "must not contain {}, which the font lacks": "不能包含 {0}：字体仅支持拉丁、希腊和西里尔字母",
  "You already have an example workspace; delete it first": "您已有示例工作区，请先删除它",
  "Too many QR codes are being drawn; try again in a few seconds": "正在绘制的二维码过多，请几秒后重试",
};
