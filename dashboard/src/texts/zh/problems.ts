import type { Texts } from "../en/en.ts";
import { lazyTranslations } from "../lazy-translations.ts";

export const problems: Texts["problems"] = {
  translate: () => undefined,
  load: lazyTranslations(() => import("./problems/sentences.ts")),
  fullStop: "。",
  unexpectedStatus: (status) => `服务器返回状态码 ${status}。`,
  fallbackByCode: {
    bad_request: "无法读取该请求。",
    unauthorized: "您尚未登录，或登录已失效。",
    forbidden: "您无权执行此操作。",
    not_found: "未找到该内容。",
    method_not_allowed: "此处不支持该请求方法。",
    conflict: "与已有内容冲突。",
    precondition_failed: "该内容已被更改。",
    payload_too_large: "内容过大。",
    request_headers_too_large: "请求头过大。",
    unsupported_media_type: "不支持这种格式。",
    unprocessable_entity: "有一个值无效。",
    rate_limit_exceeded: "请求过多，请稍后重试。",
    internal_server_error: "服务器发生错误。",
    unavailable: "服务暂时不可用，请稍后重试。",
  },
};
