import type { Sentences } from "../../sentences.ts";

const setPassword = "waypost user password --email you@example.com";

/** Sentences about people, workspaces, invitations, keys and signing in. */
export const access: Sentences = {
  "This API key has just been revoked": "此 API 密钥刚刚被撤销",
  "The account with this e-mail address has just changed; open the link again":
    "使用此邮箱的账号刚刚发生变化，请重新打开链接",
  "This link has been used or has expired": "此链接已被使用或已过期",
  "This notification is paused, so no test can be sent": "此通知已暂停，因此无法发送测试邮件",
  "The folder or share of this notification no longer exists": "此通知的文件夹或分享页面已不存在",
  "The mail server did not accept the mail; try again later": "邮件服务器未接受该邮件；请稍后重试",
  "Your e-mail address is not verified": "您的邮箱尚未验证",
  "This person owns as many workspaces as this service allows ({})": "此人拥有的工作区已达本服务允许的数量（{0} 个）",
  "This service does not send e-mail": "本服务不发送邮件",
  "This API key lacks the scope {}": "此 API 密钥缺少权限 {0}",
  "Only members and owners of this workspace can do this; you are a viewer":
    "只有此工作区的成员和所有者可以执行此操作；您是查看者",
  "Only an owner of this workspace can do this": "只有此工作区的所有者可以执行此操作",
  "can only be moved to an earlier time; to extend access, create a new key":
    "只能改为更早的时间；如需更长有效期，请创建新密钥",
  "can only be moved to an earlier time than {}; to extend access, create a new key":
    "只能改为早于 {0} 的时间；如需更长有效期，请创建新密钥",
  "must be among the scopes of your own API key: {}": "必须属于您自己的 API 密钥的权限：{0}",
  "must not be later than that of your own API key: {}": "不能晚于您自己的 API 密钥的过期时间：{0}",
  "You have {} API keys in this workspace, which is the limit; revoke one first":
    "您在此工作区已有 {0} 个 API 密钥，已达上限，请先撤销一个",
  "This API key already exists": "此 API 密钥已存在",
  "This API key has a typo: its checksum does not match": "此 API 密钥有输入错误：校验和不符",
  "The operator of this service has blocked this account": "本服务的运营者已封禁此账号",
  "The operator of this service has blocked this workspace": "本服务的运营者已封禁此工作区",
  "The operator of this service has blocked this domain, so it cannot be added, renamed or deleted":
    "本服务的运营者已封禁此域名，因此无法添加、重命名或删除",
  "The operator of this service has blocked a workspace that you own, so you cannot create another one":
    "本服务的运营者已封禁您拥有的一个工作区，因此您无法再创建其他工作区",
  "This API key is unknown, expired or revoked": "此 API 密钥不存在、已过期或已撤销",
  "API keys cannot do this; sign in to the dashboard": "API 密钥不能执行此操作，请登录控制台",
  "An API key with scopes cannot access its user's account; use one without scopes":
    "权限受限的 API 密钥不能访问其账号，请使用完全访问的密钥",
  "Send your API key in the header Authorization: Bearer <API_KEY>":
    "请在请求头 Authorization: Bearer <API_KEY> 中发送 API 密钥",
  'must be "Bearer " followed by an API key': "值必须是“Bearer ”加 API 密钥",
  "This access token is unknown or expired, or its session has ended. If you are signed in, POST /app/token returns a new one":
    "此访问令牌无效或已过期，或其会话已结束。如果您已登录，可通过 POST /app/token 获取新令牌",
  "You belong to no workspace; create one, or accept an invite": "您不属于任何工作区，请创建一个，或接受邀请",
  "must be the id of a workspace, such as 1": "必须是工作区的 ID，例如 1",
  "All your API keys together can make {} requests per minute": "您的所有 API 密钥合计每分钟可发出 {0} 次请求",
  "All your sessions together can make {} requests per minute": "您的所有会话合计每分钟可发出 {0} 次请求",
  "All members and API keys of this workspace together can make {} requests per minute":
    "此工作区的所有成员和 API 密钥合计每分钟可发出 {0} 次请求",
  "This workspace has {} passwords waiting to be hashed, which is the limit; send fewer requests with passwords at once":
    "此工作区已有 {0} 个密码等待处理，已达上限，请减少同时发送的带密码的请求",
  "Your IP address sent too many invalid API keys; the limit is {} per minute":
    "您的 IP 地址发送的无效 API 密钥过多；每分钟最多 {0} 个",
  "An IP address can make {} requests per minute without an API key":
    "一个 IP 地址不使用 API 密钥时每分钟可发出 {0} 次请求",
  "Too many attempts; try again later": "尝试次数过多，请稍后重试",
  "must be the workspace's name": "必须是工作区的名称",
  "must be the workspace's name, exactly as written": "必须与工作区的名称完全一致",
  "{}, this service's own domain, belongs to this workspace; it cannot be deleted":
    "本服务自己的域名 {0} 属于此工作区；此工作区不能删除",
  "Other workspaces have links on {}, so this workspace cannot be deleted":
    "其他工作区在 {0} 上有链接；此工作区不能删除",
  "{} is already a member of this workspace": "此工作区已有成员 {0}",
  "This workspace has invited {} addresses today, which is the limit; continue tomorrow (UTC), or invite without email and send the link yourself":
    "此工作区今天已邀请 {0} 个邮箱，已达上限，请明天（UTC）继续，或不填邮箱来创建邀请并自行发送链接",
  "This invite is for another e-mail address; ask for an invite to yours":
    "此邀请仅限另一个邮箱，请索取适用于您邮箱的邀请",
  "This invite has been used, revoked or has expired; ask for a new one":
    "此邀请已被使用、撤销或已过期，请索取新的邀请",
  "This workspace has {} open invites, which is the limit; revoke one first":
    "此工作区已有 {0} 个待接受的邀请，已达上限，请先撤销一个",
  "{} already has an open invite; revoke it to create another one":
    "已有发给 {0} 的待接受邀请，请先撤销它，再创建新的邀请",
  "This API key acts only in the workspace where it was created": "此 API 密钥只能在创建它的工作区中使用",
  "must not be true, because a workspace requires a second factor; sign in with a code or a passkey first":
    "不能为 true，因为有工作区要求双重验证；请先使用验证码或通行密钥登录",
  "An API key cannot end the requirement of a second factor; sign in to the dashboard":
    "API 密钥不能取消双重验证的要求；请登录控制台",
  "must not be true, because this API key acts in one workspace only": "不能为 true，因为此 API 密钥只用于一个工作区",
  "an API key with an expiry or with scopes cannot grant the role owner":
    "会过期或权限受限的 API 密钥不能授予所有者角色",
  "This invite is for an e-mail address that you have not verified; open the link in the mail to that address":
    "您尚未验证此邀请所限的邮箱，请打开发送到该邮箱的邮件中的链接",
  "is wrong for this e-mail address; if you have an account, sign in first": "与此邮箱不符；如果您已有账号，请先登录",
  "you are the only owner of workspace {}; do not list it; make another member its owner, or delete the workspace":
    "您是工作区 {0} 的唯一所有者，请不要在此列出它，而是将其他成员设为所有者，或删除该工作区",
  "You are already a member of this workspace": "您已是此工作区的成员",
  "This workspace has {} members, which is the limit; remove one first":
    "此工作区已有 {0} 位成员，已达上限，请先移除一位",
  "A workspace has at least one owner; make another member owner first, or delete the workspace":
    "工作区至少要有一位所有者，请先将其他成员设为所有者，或删除工作区",
  "You belong to {} workspaces, which is the limit; leave one first": "您已加入 {0} 个工作区，已达上限，请先退出一个",
  "Too many passwords are being checked at the moment; try again in a few seconds": "正在验证的密码过多，请几秒后重试",
  "This session has ended; sign in again": "此会话已结束，请重新登录",
  "The password has just been changed; sign in with the new one": "密码刚刚更改，请用新密码登录",
  "The e-mail address or password is incorrect": "邮箱或密码不正确",
  "Another request changed the password, so this request changed nothing": "另一个请求已更改密码；此请求未更改任何内容",
  "is required; it must be your current password": "为必填项；请输入您的当前密码",
  "is not your current password": "这不是您的当前密码",
  [`This link has been used or has expired. Set the password on the server: ${setPassword}`]: `此链接已被使用或已过期。请在服务器上设置密码：${setPassword}`,
  "{} already belongs to another user": "已被另一个账号使用：{0}",
  "No user has the e-mail address {}": "没有账号使用邮箱 {0}",
  "You are not signed in": "您尚未登录",
  "You are not signed in, or your session has ended; sign in again": "您尚未登录，或会话已结束，请重新登录",
  "This service does not send e-mail, so only the operator can verify addresses. On the server: waypost user verify --email you@example.com":
    "本服务不发送邮件，因此只有运营者能验证邮箱。在服务器上运行：waypost user verify --email you@example.com",
  "Your e-mail address is already verified": "您的邮箱已经验证",
  "The mail server did not accept the mail with your link; try again later":
    "邮件服务器未接受包含链接的邮件，请稍后重试",
  [`This service does not send e-mail. Its operator can set a new password with: ${setPassword}`]: `本服务不发送邮件。运营者可用此命令设置新密码：${setPassword}`,
  "must be a whole number of days from 1 to {}, or null to keep clicks forever":
    "必须是 1 到 {0} 的整数天数，或 null（永久保留点击）",
  "Set up one-time codes or a passkey in your own account first, and sign in with it":
    "请先为您自己的账号设置一次性验证码或通行密钥，并用它登录",
  "This workspace requires a second factor. Set up one-time codes or a passkey in your account, or sign in again with it":
    "此工作区要求双重验证。请在您的账号中设置一次性验证码或通行密钥，或用它重新登录",
  "This workspace requires a second factor, and the owner of this API key has none. The key works again once they set up one-time codes or a passkey in their account":
    "此工作区要求双重验证，而此 API 密钥的所有者尚未设置。该账号设置一次性验证码或通行密钥后，密钥即可恢复使用",
  "Only the operator of this service creates accounts. If you have one, use its e-mail address and password":
    "本服务的账号仅由运营者创建。如果您已有账号，请使用其邮箱和密码",
  "This link is invalid or has expired": "此链接无效或已过期",
  "You own as many workspaces as this service allows ({}). Delete one first, or ask an administrator for another":
    "您拥有的工作区已达本服务允许的数量（{0} 个）。请先删除一个，或请管理员为您增加一个",
  "This workspace has reached its limit of {} links. An administrator of this service can raise it":
    "此工作区已达到 {0} 个链接的上限。本服务的管理员可以提高上限",
  "This workspace has reached its limit of {} domains. An administrator of this service can raise it":
    "此工作区已达到 {0} 个域名的上限。本服务的管理员可以提高上限",
  "This workspace has reached its limit of {} members. An administrator of this service can raise it":
    "此工作区已达到 {0} 位成员的上限。本服务的管理员可以提高上限",
  "This workspace has reached its limit of {} API keys. An administrator of this service can raise it":
    "此工作区已达到 {0} 个 API 密钥的上限。本服务的管理员可以提高上限",
  "must be at most {}, the limit of this workspace. An administrator of this service can raise it":
    "不能超过 {0}，即此工作区的上限。本服务的管理员可以提高上限",
  'must be a whole number from 1 to {}, "unlimited", or null for the limit of the service':
    '必须是 1 到 {0} 的整数、"unlimited" 或 null（使用本服务的上限）',
  "Administrators need a second factor. Set up one-time codes or a passkey in your account, or sign in again with it":
    "管理员需要双重验证。请在您的账号中设置一次性验证码或通行密钥，或用它重新登录",
  "One-time codes have just been turned on; sign in again with a code": "一次性验证码刚刚开启，请用验证码重新登录",
  "{} has neither one-time codes nor passkeys": "该账号既没有一次性验证码也没有通行密钥：{0}",
  "Sign in again with your second factor to do this": "请先用双重验证重新登录",
  "You signed in a while ago. Sign in again to do this": "您登录已有一段时间，请重新登录后再操作",
  "is required": "为必填项",
  "One-time codes are already on; turn them off first": "一次性验证码已开启，请先关闭",
  "Begin with a new QR code": "请从新的二维码开始",
  "is wrong. Check that the clock of your device is right": "不正确。请检查设备时间是否准确",
  "People sign in to this service with its identity provider only": "本服务仅支持通过其身份提供商登录",
  "People sign in to this service with {} only, so it cannot be disconnected":
    "本服务仅支持通过 {0} 登录，因此无法断开",
  "You sign in with {} only; set a password or add a passkey before you disconnect it":
    "您只通过 {0} 登录；请先设置密码或添加通行密钥，再断开连接",
  "This passkey is your only way to sign in; add another one before you remove it":
    "您只能用此通行密钥登录；请先添加另一个，再移除它",
  "{} signs in with no identity provider": "该账号未连接任何身份提供商：{0}",
  "One-time codes are off": "一次性验证码未开启",
  "This code is wrong, or has already been used": "验证码不正确或已被使用",
  "One-time codes cannot be checked. Use a recovery code, or ask the operator":
    "无法校验一次性验证码。请使用恢复代码，或联系运营者",
  "Passkeys need HTTPS. The operator of this service can set WAYPOST_URL to an https URL":
    "通行密钥需要 HTTPS。本服务的运营者可以将 WAYPOST_URL 设为 https 网址",
  "Passkeys need a host name, not an IP address. The operator of this service can set WAYPOST_URL to one":
    "通行密钥需要主机名，而不是 IP 地址。本服务的运营者可以将 WAYPOST_URL 设为主机名",
  "You have {} passkeys, which is the limit; remove one first": "您已有 {0} 个通行密钥，达到上限；请先移除一个",
  "This took too long, or was begun in another tab. Try again": "操作超时，或操作是在另一个标签页中发起的。请重试",
  "The passkey could not be verified. Try again": "无法验证该通行密钥。请重试",
  "This passkey has already been added": "该通行密钥已添加过",
  "This passkey has just been removed": "该通行密钥刚刚被移除",
  "Signing in took too long. Try again": "登录超时。请重试",
  "This passkey is unknown here, or could not be verified": "该通行密钥在本服务中不存在，或无法验证",
  "must be base64url without padding": "必须是不带填充的 base64url",
};
