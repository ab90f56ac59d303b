import type { Texts } from "../en/en.ts";

export const identities: Texts["identities"] = {
  title: "单点登录",
  about: "您用来登录本服务的提供商。",
  signInWith: (provider) => `使用 ${provider} 登录`,
  since: (when) => `连接于 ${when}`,
  former: "已不再使用",
  onlyWay: "您唯一的登录方式",
  none: (provider) => `未连接。使用 ${provider} 登录即可连接；您在 ${provider} 的邮箱须与此处相同，且已验证。`,
  disconnect: "断开连接",
  disconnectOne: (provider) => `断开连接：${provider}`,
  disconnectTitle: (provider) => `断开 ${provider}？`,
  disconnectText: (provider) =>
    `除此浏览器外，所有使用 ${provider} 登录的浏览器都将退出登录。再次使用它登录会重新连接。`,
  disconnected: (provider) => `${provider} 已断开。`,
  keyRefused: "已拒绝",
  keyRefusedHint:
    "此工作区要求双重验证，而该密钥的所有者尚未开启。所有者在安全设置中开启双重验证或添加通行密钥，或使用要求第二重验证的提供商登录后，密钥即可恢复使用。",
};
