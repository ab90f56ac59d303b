import { boundsOf, joined, type Sentences } from "../../sentences.ts";

const kinds: Sentences = {
  "must be text": "必须是文本",
  "must be a number": "必须是数字",
  "must be a whole number": "必须是整数",
  "must be true or false": "必须是 true 或 false",
  "must be a list": "必须是列表",
  "must be a JSON object": "必须是 JSON 对象",
  "must be null": "必须是 null",
  "must be left out": "必须省略",
  "must be a date": "必须是日期",
  "must be {}": "必须是 {0}",
};

/** The relations, for a number and for a count. */
const relations = [
  { english: "exactly", size: "正好为", count: "正好有" },
  { english: "at least", size: "至少为", count: "至少有" },
  { english: "more than", size: "大于", count: "多于" },
  { english: "at most", size: "最多为", count: "最多有" },
  { english: "less than", size: "小于", count: "少于" },
];

const units: Sentences = {
  character: "个字符",
  characters: "个字符",
  entry: "个条目",
  entries: "个条目",
  field: "个字段",
  fields: "个字段",
  byte: "字节",
  bytes: "字节",
};

const bounds = boundsOf(relations, units, {
  size: (relation) => `必须${relation} {0}`,
  count: (relation, unit) => `必须${relation} {0} ${unit}`,
});

const missing = Object.entries(kinds).map((kind) => joined(["is missing; it ", "缺失，"], kind));

/** Sentences about values of the wrong type, length or format. */
export const values: Sentences = {
  ...kinds,
  ...Object.fromEntries([...bounds, ...missing]),
  "must be text, or a list": "必须是文本或列表",
  "must be text, or a list of at most {} texts": "必须是文本，或最多 {0} 个文本的列表",
  "must be a list of texts, or one text with commas between the values": "必须是文本列表，或以逗号分隔的文本",
  "must be one text, not a list": "必须是单个文本，不能是列表",
  "must be a multiple of {}": "必须是 {0} 的倍数",
  "must begin with {}": "必须以 {0} 开头",
  "must end with {}": "必须以 {0} 结尾",
  "must contain {}": "必须包含 {0}",
  "must have the form {}": "格式必须为 {0}",
  "must be a URL such as https://example.com/page": "请输入有效的网址，例如 https://example.com/page",
  "must be an e-mail address such as you@example.com": "必须是邮箱，例如 you@example.com",
  "must be a date and time such as 2027-01-31T12:00:00Z": "必须是日期和时间，例如 2027-01-31T12:00:00Z",
  "must be from 1970 to 9999, in UTC": "必须在 1970 年至 9999 年之间（UTC）",
  "must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z": "必须是日期，例如 2027-01-31 或 2027-01-31T12:00:00Z",
  "must be a date such as 2027-01-31": "必须是日期，例如 2027-01-31",
  "must be a date such as 2026-11-20": "必须是日期，例如 2026-11-20",
  "must be a time such as 12:00:00": "必须是时刻，例如 12:00:00",
  "must be a UUID such as 123e4567-e89b-42d3-a456-426614174000":
    "必须是 UUID，例如 123e4567-e89b-42d3-a456-426614174000",
  "must be an IPv4 address such as 192.0.2.10": "必须是 IPv4 地址，例如 192.0.2.10",
  "must be an IPv6 address such as 2001:db8::10": "必须是 IPv6 地址，例如 2001:db8::10",
  "must be an IP address such as 203.0.113.7": "必须是 IP 地址，例如 203.0.113.7",
  "must be text in base64": "必须是 base64 文本",
  "must be text that contains JSON": "必须是 JSON 文本",
  "must not have the field {}": "不能有字段 {0}",
  "unknown field": "未知字段",
  "unknown field; did you mean {}?": "未知字段；是否应为 {0}？",
  "unknown query parameter": "未知查询参数",
  "unknown query parameter; did you mean {}?": "未知查询参数；是否应为 {0}？",
  "is read-only; leave it out, or send its current value": "为只读，请省略它，或发送其当前值",
  "has an invalid name: it {}": "其中有名称无效：该名称{=0}",
  "has an invalid name: it is not allowed": "其中有名称无效：请使用其他名称",
  "has an invalid element: it {}": "其中有元素无效：该元素{=0}",
  "has an invalid element: it is not allowed": "其中有元素无效：请使用其他值",
  "is not valid; see the reference at /docs": "无效，请参阅 /docs 的参考文档",
  "must be one of {}": "必须是以下之一：{0}",
  "must be one of the numbers {}": "必须是以下数字之一：{0}",
  "must be a whole number from {} to {}": "必须是 {0} 到 {1} 的整数",
  "must be a whole number from {} to {}; beyond it, use startingAfter":
    "必须是 {0} 到 {1} 的整数；超出部分请使用 startingAfter",
  "must be from {} to {}": "必须在 {0} 到 {1} 之间",
  "must have {} to {} characters": "必须有 {0} 到 {1} 个字符",
  "must have 1 to {} characters": "必须有 1 到 {0} 个字符",
  "must have at most {} characters in total": "合计最多 {0} 个字符",
  "must have at most {} values": "最多包含 {0} 个值",
  "must not be empty": "不能为空",
  "must not be empty; null means none": "不能为空；null 表示无值",
  "must not be empty; leave it out to include all": "不能为空；省略则包括全部",
  "must be in the future": "必须是将来的时间",
  "must be in the future, at most {} days from now": "必须是将来的时间，距现在最多 {0} 天",
  "must be an ISO 3166-1 country code such as DE": "必须是 ISO 3166-1 国家/地区代码，例如 DE",
  "must be an ISO 3166-2 code such as US-CA": "必须是 ISO 3166-2 代码，例如 US-CA",
  "must be a hex color of 6 digits such as #1A2B3C": "必须是 6 位十六进制颜色，例如 #1A2B3C",
  "must be a hex color of 3, 6 or 8 digits such as #1A2B3C; in a URL, # is written %23":
    "必须是 3、6 或 8 位十六进制颜色，例如 #1A2B3C；在网址中 # 写作 %23",
  "must be a PNG, JPEG or WebP image of at most {} bytes and {} pixels a side, as a base64 data URL such as data:image/png;base64,iVBORw0KG…":
    "必须是 PNG、JPEG 或 WebP 图片的 base64 数据 URL，例如 data:image/png;base64,iVBORw0KG…，最多 {0} 字节，每边最多 {1} 像素",
  "must be an image as a data URL (PNG, JPEG, GIF or WebP in base64), or an http or https URL":
    "必须是数据 URL 形式的图片（base64 编码的 PNG、JPEG、GIF 或 WebP），或 http 或 https 网址",
  "must be an image of at most {} bytes": "必须是最多 {0} 字节的图片",
};
