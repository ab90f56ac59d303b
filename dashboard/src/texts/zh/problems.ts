import type { Texts } from "../en/en.ts";
import { lazyTranslations } from "../lazy-translations.ts";

export const problems: Texts["problems"] = {
  translate: () => undefined,
  load: lazyTranslations(() => import("./problems/sentences.ts")),
  fullStop: "。",
  unexpectedStatus: (status) => `服务器的回答是 ${status}。`,
  fallbackByCode: {
    bad_request: "无法读取此请求。",
    unauthorized: "您没有登录，或登录已失效。",
    forbidden: "您无权执行此操作。",
    not_found: "这里没有此内容。",
    method_not_allowed: "此处不能这样操作。",
    conflict: "与已有内容冲突。",
    precondition_failed: "其间已被更改。",
    payload_too_large: "内容过大。",
    request_headers_too_large: "请求头过大。",
    unsupported_media_type: "服务器不接受这种格式。",
    unprocessable_entity: "有一个值不正确。",
    rate_limit_exceeded: "请求过多；请稍候再试。",
    internal_server_error: "服务器出错。",
    unavailable: "服务目前无法应答；请稍后重试。",
  },
};
