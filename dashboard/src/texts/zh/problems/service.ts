import type { Sentences } from "../../sentences.ts";

const things: Sentences = {
  workspace: "工作区",
  member: "成员",
  session: "会话",
  invite: "邀请",
  domain: "域名",
  tag: "标签",
  folder: "文件夹",
  link: "链接",
  change: "更改",
  "API key": " API 密钥",
  share: "分享页面",
  user: "账户",
  "UTM template": " UTM 模板",
};

const secondTries: Sentences = {
  "showed a secret, which is shown once": "包含只显示一次的机密",
  "was too large to keep": "过大而未保留",
  "is not known, because the service failed or was stopped before it was kept": "未知，因为服务在保留之前出错或被停止",
  "cannot be read any more": "已无法读取",
};

/** Sentences about analytics, shares and exports, and about the service and its calls. */
export const service: Sentences = {
  ...Object.fromEntries(
    Object.entries(things).map(([noun, thing]) => [
      `No ${noun} was found here with that identifier`,
      `这里没有找到使用该标识的${thing}`,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(secondTries).map(([english, reason]) => [
      `Idempotency-Key: this POST was carried out at {}, and its answer ${english}. See what it made (GET /v1{}) before sending it under another key`,
      `Idempotency-Key：此 POST 已于 {0} 执行，其回答${reason}。请先查看其结果（GET /v1{1}），再用其他键发送`,
    ]),
  ),
  "The server's disk has no room for {} clicks as {}; export a shorter time. Parquet takes the least room":
    "服务器磁盘容不下 {0} 次点击的 {1} 文件；请导出较短的时间段。Parquet 占用空间最少",
  "Too many exports are under way; a workspace may have {}, and a user too":
    "导出过多；一个工作区最多可有 {0} 个，一个帐户也是",
  "Your exports would take too much of the server's disk; take those under way first, or export a shorter time":
    "您的导出会占用服务器过多的磁盘空间；请先下载进行中的导出，或导出较短的时间段",
  "Exports under way take as much of the server's disk as they may; try again in a while":
    "进行中的导出已占满允许的磁盘空间；请稍后重试",
  "must name a value, or be left out; Unknown finds the unknown": "必须给出一个值，或省略；Unknown 查找未知的",
  "must hold ISO 3166-1 codes such as DE, or Unknown; {} is none":
    "必须是 ISO 3166-1 代码（例如 DE）或 Unknown；{0} 不是",
  "must hold ISO 3166-1 codes such as DE, or Unknown; for {} write {}":
    "必须是 ISO 3166-1 代码（例如 DE）或 Unknown；请将 {0} 写为 {1}",
  "must be an IANA time zone such as Europe/Berlin": "必须是 IANA 时区，例如 Europe/Berlin",
  "must be an IANA time zone; the nearest is {}": "必须是 IANA 时区；最接近的是 {0}",
  "means the same as {}; send one of the two": "与 {0} 含义相同；请只发送其中一个",
  "may name at most {} values": "最多给出 {0} 个值",
  "must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from {} to {}":
    "必须是日期（例如 2026-11-20）或时间（例如 2026-11-20T09:30:00Z），从 {0} 到 {1}",
  "must lie before end, or before now when there is no end": "必须早于结束时间；没有结束时间时必须早于现在",
  "A user may have {} live streams at a time; end one of them":
    "一个帐户最多可在 {0} 个标签页中同时显示实时点击；请关闭其中一个",
  "A workspace may have {} questions about clicks waiting; try again in a few seconds":
    "一个工作区最多可有 {0} 个等待中的点击查询；请稍候几秒再试",
  "Too many questions about clicks are waiting; try again in a few seconds": "等待中的点击查询过多；请稍候几秒再试",
  "A workspace may have {} live streams at a time; end one of them":
    "一个工作区最多可在 {0} 个标签页中同时显示实时点击；请关闭其中一个",
  "There are as many live streams as this service can have; try again in a while":
    "显示实时点击的标签页已达到本服务的上限；请稍后重试",
  "Too many live streams wait for their events": "等待实时点击的标签页过多",
  "The service is stopping; try again in a few seconds": "服务正在停止；请几秒后重试",
  "must be the id of an event of this stream as it came; leave it out to begin with what comes now":
    "必须是此数据流中事件的 ID，与收到时一致；省略则从现在开始",
  "This share asks for a password, or the pass has expired. POST /v1/shared/{shareToken}/access takes the password and gives a pass, for Authorization: Bearer <pass>":
    "此分享页面需要密码，或通行证已过期。POST /v1/shared/{shareToken}/access 接收密码并给出通行证，用于 Authorization: Bearer <pass>",
  "this share has none, and opens without": "此分享页面没有密码，无需密码即可打开",
  "this is not the share's": "这不是此分享页面的密码",
  "is not the share's": "不属于此分享页面",
  "can fold at most {} clicked links; ask about a shorter time or fewer links":
    "最多汇总 {0} 个有点击的链接；请缩短时间段或减少链接",
  "needs domain beside it, since every domain has its own keys": "需要同时给出域名，因为每个域名有自己的短名称",
  "may stand for at most {} links; ask about fewer of them": "最多代表 {0} 个链接；请减少数量",
  "must be given, or else folderId": "必须给出，否则给出 folderId",
  "must not be given beside linkId": "不能与 linkId 同时给出",
  "must be given beside end": "必须与结束时间一起给出",
  "This workspace has {} shares, the most there can be; delete one":
    "此工作区已有 {0} 个分享页面，达到上限；请撤销一个",
  "The export could not be written; ask for it again": "导出文件无法写入；请重新导出",
  "The click store cannot answer at the moment. Links redirect, and new clicks wait while there is room":
    "点击数据目前无法读取。链接照常跳转，只要还有空间，新的点击会等待写入",
  "The click store cannot answer at the moment. Links redirect, and new clicks wait while there is room; clicks dropped since {}: {}":
    "点击数据目前无法读取。链接照常跳转，只要还有空间，新的点击会等待写入；自 {0} 起丢失的点击：{1}",
  "The database cannot answer at the moment; try again in a few seconds": "数据库目前无法应答；请几秒后重试",
  "The database cannot answer this at the moment; try again": "数据库目前无法回答此请求；请重试",
  "Something went wrong on our side. The server's log knows it by the X-Request-Id":
    "我们这边出了问题。服务器日志以此请求的编号记录了它",
  "This path has the methods {}": "此路径支持的方法：{0}",
  "There is no such path in this API. See /docs": "此 API 没有这个路径。请参阅 /docs",
  "There is no such path in this API. It has a slash too much: write it as {}":
    "此 API 没有这个路径。它多了一个斜杠：请写作 {0}",
  "Nothing at this path has an ETag, so If-Match cannot hold; leave it out":
    "此路径下没有带 ETag 的内容，If-Match 无法成立；请省略",
  "If-Match: the object does not exist": "该对象不存在",
  "If-Match: the object has changed since you read it; get it again": "该对象其间已被更改；请重新读取后再决定",
  "If-Match: the object has changed since you read it; get it again. A weak tag (W/) never matches; a proxy that compresses may have made yours one":
    "该对象其间已被更改；请重新读取后再决定。弱标签（W/）永远不匹配；可能是进行压缩的代理使其变为弱标签",
  "If-None-Match: the object exists already": "If-None-Match：该对象已存在",
  "If-Match: must be * or up to {} tags in double quotes as ETag gave them, with commas between":
    "If-Match：必须是 *，或最多 {0} 个 ETag 给出的带双引号的标签，以逗号分隔",
  "If-None-Match: must be * or up to {} tags in double quotes as ETag gave them, with commas between":
    "If-None-Match：必须是 *，或最多 {0} 个 ETag 给出的带双引号的标签，以逗号分隔",
  "Idempotency-Key: the same call is under way; ask again for its answer": "相同的请求正在进行；请再次查询其结果",
  "Idempotency-Key: this key came with another query or body before; use a new key for another call":
    "Idempotency-Key：此键已用于另一个请求；其他请求请使用新键",
  "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID":
    "Idempotency-Key：必须是 1 到 255 个不含空格的 ASCII 字符，例如 UUID",
  "Idempotency-Key: needs a workspace, and you belong to none; leave it out":
    "Idempotency-Key：需要工作区，而您不属于任何工作区；请省略",
  "The body is missing; send a JSON object, such as {}": "缺少请求内容；请发送 JSON 对象，例如 {0}",
  "The body is not valid UTF-8 JSON": "请求内容不是有效的 UTF-8 JSON",
  "Send the body as JSON in UTF-8, with the header Content-Type: application/json":
    "请以 UTF-8 JSON 发送内容，并带标头 Content-Type: application/json",
  "Send the body as it is, without Content-Encoding": "请直接发送内容，不使用 Content-Encoding",
  "One link may have at most {} bytes": "一个链接最多 {0} 字节",
  "One link may hold at most {} values": "一个链接最多包含 {0} 个值",
  "These links have {} bytes, more than can be changed at once: name fewer":
    "这些链接共有 {0} 字节，超出一次可更改的范围：请减少链接",
  "The body may have at most {} bytes": "请求内容最多 {0} 字节",
  "Changes of this length can be made to at most {} links at once": "这么长的更改一次最多应用于 {0} 个链接",
  "The body may hold at most {} values": "请求内容最多包含 {0} 个值",
  "The client has disconnected": "客户端已断开连接",
  "The body ended before its end": "请求内容提前中断",
  "The query may have at most {} parameters": "查询最多有 {0} 个参数",
  "values may be nested at most {} deep": "值最多嵌套 {0} 层",
  "text may not hold NUL characters or half a surrogate pair": "文本不能包含 NUL 字符或不完整的代理对",
  "only pages of the dashboard may do this, and those come from {}. Programs call the API with a key. Is the dashboard reached at another address, set WAYPOST_URL to it":
    "只有控制台的页面可以执行此操作，而它们来自 {0}。程序请使用密钥调用 API。如果控制台使用其他地址，请把 WAYPOST_URL 设为该地址",
};
