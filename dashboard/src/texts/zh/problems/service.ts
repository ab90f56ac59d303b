import type { Sentences } from "../../sentences.ts";

const objects: Sentences = {
  workspace: "工作区",
  member: "成员",
  session: "会话",
  identity: "已连接的提供商",
  passkey: "通行密钥",
  invite: "邀请",
  domain: "域名",
  tag: "标签",
  folder: "文件夹",
  link: "链接",
  change: "更改",
  "API key": " API 密钥",
  share: "分享页面",
  user: "账号",
  "saved view": "保存的视图",
  notification: "通知",
  "UTM template": " UTM 模板",
};

const secondTries: Sentences = {
  "contained a secret, which is shown only once": "包含只显示一次的机密信息",
  "was too large to store": "过大，未能保存",
  "is unknown, because the service failed or was stopped before it was stored": "未知，因为服务在保存之前出错或被停止",
  "can no longer be read": "已无法读取",
};

/** Sentences about analytics, shares and exports, and about the service and its calls. */
export const service: Sentences = {
  ...Object.fromEntries(
    Object.entries(objects).map(([noun, object]) => [
      `No ${noun} was found here with that identifier`,
      `这里没有找到使用该 ID 的${object}`,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(secondTries).map(([english, reason]) => [
      `Idempotency-Key: this POST ran at {}, and its response ${english}. Check what it created (GET /v1{}) before you send it with another key`,
      `Idempotency-Key：此 POST 已于 {0} 执行，其响应${reason}。请先检查它创建了什么（GET /v1{1}），再用其他键发送`,
    ]),
  ),
  "The server's disk has no space for {} clicks as {}; export a shorter interval. Parquet needs the least space":
    "服务器磁盘容不下 {0} 次点击的 {1} 文件，请导出较短的时间段。Parquet 占用空间最少",
  "Too many exports are running; the limit is {} per workspace and per user":
    "正在进行的导出过多；每个工作区和每个账号最多 {0} 个",
  "The server is busy with other exports; try again in a few seconds": "服务器正忙于其他导出，请几秒后重试",
  "Your other export is still being written; try again in a few seconds": "您的另一个导出仍在写入，请几秒后重试",
  "Your exports would use too much of the server's disk; finish downloading the others first, or export a shorter interval":
    "您的导出会占用服务器过多的磁盘空间，请先完成其他导出的下载，或导出较短的时间段",
  "Running exports use all the disk space that exports may use; try again later":
    "正在进行的导出已占满允许的磁盘空间，请稍后重试",
  "must have a value, or be left out; Unknown matches clicks without a value":
    "必须有值，或省略；Unknown 匹配没有值的点击",
  "must be ISO 3166-1 codes such as DE, or Unknown; {} is not one":
    "必须是 ISO 3166-1 代码（例如 DE）或 Unknown；{0} 不是",
  "must be ISO 3166-1 codes such as DE, or Unknown; for {}, use {}":
    "必须是 ISO 3166-1 代码（例如 DE）或 Unknown，请将 {0} 改为 {1}",
  "must divide the period into at most {} buckets; choose a longer unit":
    "最多只能将时间段分为 {0} 段，请选择更长的单位",
  "requires compare=custom": "需要 compare=custom",
  "is required with compare=custom": "在 compare=custom 时必填",
  "must be before compareEnd": "必须早于 compareEnd",
  "must be {}; {} is not one": "必须是以下之一：{0}；{1} 不在其中",
  "must be an IANA time zone such as Europe/Berlin": "必须是 IANA 时区，例如 Europe/Berlin",
  "must be an IANA time zone; the nearest is {}": "必须是 IANA 时区；最接近的是 {0}",
  "means the same as {}; send only one of them": "与 {0} 含义相同，请只发送其中一个",
  "must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from {} to {}":
    "必须是日期（例如 2026-11-20）或时间（例如 2026-11-20T09:30:00Z），从 {0} 到 {1}",
  "must be before end, or before now if there is no end": "必须早于 end；没有 end 时必须早于现在",
  "A user can have {} live streams at a time; close one of them":
    "一个账号最多可在 {0} 个标签页中同时显示实时点击，请关闭其中一个",
  "A workspace can have {} analytics requests waiting; try again in a few seconds":
    "一个工作区最多可有 {0} 个等待中的分析请求，请几秒后重试",
  "Too many analytics requests are waiting; try again in a few seconds": "等待中的分析请求过多，请几秒后重试",
  "A workspace can have {} lists and counts of links waiting; try again in a few seconds":
    "一个工作区最多可有 {0} 个等待中的链接列表和计数请求，请几秒后重试",
  "Too many lists and counts of links are waiting; try again in a few seconds":
    "等待中的链接列表和计数请求过多，请几秒后重试",
  "A workspace can have {} live streams at a time; close one of them":
    "一个工作区最多可在 {0} 个标签页中同时显示实时点击，请关闭其中一个",
  "This service has reached its limit of live streams; try again later":
    "显示实时点击的标签页已达到本服务的上限，请稍后重试",
  "Too many live streams are waiting for their events; try again in a few seconds":
    "等待实时点击的标签页过多，请几秒后重试",
  "The service is stopping; try again in a few seconds": "服务正在停止，请几秒后重试",
  "must be an unchanged id of an event of this stream; leave it out to begin with the next click":
    "必须是此数据流中事件的 ID，且未经更改；省略则从下一次点击开始",
  "This share requires a password, or your pass has expired. POST /v1/shared/{shareToken}/access exchanges the password for a pass; send it as Authorization: Bearer <pass>":
    "此分享页面需要密码，或通行证已过期。POST /v1/shared/{shareToken}/access 可用密码换取通行证，请以 Authorization: Bearer <pass> 发送",
  "this share has no password and opens without one": "此分享页面没有密码，无需密码即可打开",
  "is not the password of this share": "这不是此分享页面的密码",
  "is not the id of an entry of this audit log": "这不是此审计日志中条目的 ID",
  "can group at most {} links with clicks; choose a shorter interval or fewer links":
    "最多可对 {0} 个有点击的链接分组，请缩短时间段或减少链接",
  "requires domain, because each domain has its own keys": "需要 domain，因为每个域名有自己的后缀",
  "must match at most {} links; choose fewer of them": "最多匹配 {0} 个链接，请减少数量",
  "must match at most {} links together with the other filters; choose fewer of them":
    "与其他筛选条件合计最多匹配 {0} 个链接，请减少数量",
  "is required, unless folderId is given": "未给出 folderId 时必填",
  "cannot be combined with linkId": "不能与 linkId 同时使用",
  "is required if end is given": "给出 end 时必填",
  "cannot be combined with folderId": "不能与 folderId 同时使用",
  "cannot be combined with the kind failingDomain": "不能与类型 failingDomain 同时使用",
  "you already have this notification": "您已有此通知",
  "You have {} notifications in this workspace, which is the limit; delete one first":
    "您在此工作区已有 {0} 个通知，已达上限，请先删除一个",
  "This workspace has {} shares, which is the limit; delete one first":
    "此工作区已有 {0} 个分享页面，已达上限，请先删除一个",
  "The export could not be written; request it again": "导出文件无法写入，请重新导出",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit":
    "点击数据目前无法读取。链接照常跳转，只要还有空间，新的点击会在磁盘上等待写入",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit; clicks dropped since {}: {}":
    "点击数据目前无法读取。链接照常跳转，只要还有空间，新的点击会在磁盘上等待写入；自 {0} 起丢失的点击：{1}",
  "The answer needs more memory than the click store may use; choose a shorter interval, add a filter, or group by something with fewer different values":
    "此统计所需内存超出限制，请缩短时间段、添加筛选条件，或按取值较少的项目分组",
  "The database cannot answer at the moment; try again in a few seconds": "数据库目前无法响应，请几秒后重试",
  "The data was moved to another database. Nothing can be changed until the operator restarts the service":
    "数据已迁移到另一个数据库。在运营者重启服务之前，无法进行任何更改",
  "The database cannot answer this at the moment; try again": "数据库目前无法响应此请求，请重试",
  "The service failed unexpectedly. The server's log has the error, under the X-Request-Id":
    "服务发生意外错误。服务器日志中以 X-Request-Id 记录了该错误",
  "This path supports the methods {}": "此路径支持的方法：{0}",
  "There is no such path in this API. See /docs": "此 API 没有这个路径。请参阅 /docs",
  "There is no such path in this API. It has an extra slash; use {}": "此 API 没有这个路径。它多了一个斜杠，请使用 {0}",
  "This path has no ETag, so If-Match can never match; leave it out": "此路径没有 ETag，If-Match 永远无法匹配，请省略",
  "If-Match: the object does not exist": "该对象不存在",
  "If-Match: the object has changed since you read it; get it again": "您读取之后，该对象已被更改，请重新获取",
  "If-Match: the object has changed since you read it; get it again. A weak tag (W/) never matches; a compressing proxy may have made yours weak":
    "您读取之后，该对象已被更改，请重新获取。弱标签（W/）永远不匹配；可能是压缩内容的代理使其变为弱标签",
  "If-None-Match: the object already exists": "If-None-Match：该对象已存在",
  "If-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-Match：必须是 *，或最多 {0} 个带双引号的 ETag，以逗号分隔",
  "If-None-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-None-Match：必须是 *，或最多 {0} 个带双引号的 ETag，以逗号分隔",
  "Idempotency-Key: a request with this key is still running; send it again later to get its response":
    "使用此键的请求仍在进行，请稍后重新发送以获取其响应",
  "Idempotency-Key: this key was sent before with another query or body; use a new key for each request":
    "Idempotency-Key：此键已用于查询或内容不同的请求，请为每个请求使用新键",
  "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID":
    "Idempotency-Key：必须是 1 到 255 个不含空格的 ASCII 字符，例如 UUID",
  "Idempotency-Key: requires a workspace, and you belong to none; leave it out":
    "Idempotency-Key：需要工作区，而您不属于任何工作区，请省略",
  "The body is missing; send a JSON object, such as {}": "缺少请求内容，请发送 JSON 对象，例如 {0}",
  "The body is not valid UTF-8 JSON": "请求内容不是有效的 UTF-8 JSON",
  "Send the body as JSON in UTF-8, with the header Content-Type: application/json":
    "请以 UTF-8 JSON 发送内容，并带请求头 Content-Type: application/json",
  "Send the body as it is, without Content-Encoding": "请原样发送内容，不使用 Content-Encoding",
  "Each link must have at most {} bytes": "一个链接最多 {0} 字节",
  "Each link must have at most {} values": "一个链接最多包含 {0} 个值",
  "These links have {} bytes, too many to change at once; list fewer links":
    "这些链接共有 {0} 字节，超出一次可更改的范围，请减少链接",
  "The body must have at most {} bytes": "请求内容最多 {0} 字节",
  "The form must have at most {} bytes": "表单最多 {0} 字节",
  "The link has changed since; get it again": "该链接此后已有更改，请重新获取",
  "These changes have {} bytes, too many to undo at once; list fewer links":
    "这些更改共有 {0} 字节，超出一次可撤销的范围，请减少链接",
  "Changes of this size can be made to at most {} links at once": "这种大小的更改一次最多应用于 {0} 个链接",
  "The body must have at most {} values": "请求内容最多包含 {0} 个值",
  "The client has disconnected": "客户端已断开连接",
  "The body ended early": "请求内容提前中断",
  "The query must have at most {} parameters": "查询最多有 {0} 个参数",
  "values must be nested at most {} levels deep": "值最多嵌套 {0} 层",
  "text must not contain NUL characters or unpaired surrogates": "文本不能包含 NUL 字符或不完整的代理对",
  "only pages of the dashboard can do this, and they come from {}. Programs call the API with an API key. If you open the dashboard at another URL, set WAYPOST_URL to it":
    "只有控制台的页面可以执行此操作，而它们来自 {0}。程序请使用 API 密钥调用 API。如果您通过其他网址打开控制台，请将 WAYPOST_URL 设为该网址",
};
