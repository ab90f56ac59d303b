import type { Sentences } from "../../sentences.ts";

/** Sentences about the administration of the instance, and the end of accounts. */
export const administration: Sentences = {
  "The operator of this service has disabled this account": "本服务的运营者已停用此账号",
  "must be your e-mail address, exactly as in your profile": "必须是您的邮箱，与个人资料中的完全一致",
  "You are the only owner of {}. Make another member owner there, or delete the workspace":
    "您是 {0} 的唯一所有者。请先将另一位成员设为所有者，或删除该工作区",
  "Only an administrator of this service can do this": "只有本服务的管理员可以执行此操作",
  "There are {} blocks, which is the limit; end one first": "已有 {0} 条封禁，达到上限；请先解除一条",
  "{} is already blocked": "已被封禁：{0}",
  "{} is not blocked": "未被封禁：{0}",
  "There is no short link {}": "没有短链接 {0}",
  "There is no domain {}": "没有域名 {0}",
  "{} is not a host, such as example.com": "不是主机名（例如 example.com）：{0}",
  "{} is this service's own domain; block links or workspaces on it": "域名 {0} 属于本服务；请封禁其上的链接或工作区",
  "{} is not just a host. A block covers a whole host with all its subdomains; to block it, enter {}":
    "不只是主机：{0}。封禁对整个主机及其所有子域名生效；如需封禁，请输入 {1}",
  "{} has no dot, so the block would cover every host below it. Enter a host such as example.{}":
    "名称 {0} 不含点，封禁会覆盖其下的所有主机。请输入 example.{1} 这样的主机",
  "You cannot do this to your own account; another administrator can":
    "您不能对自己的账号执行此操作；可由另一位管理员执行",
  "There is no user {}": "没有账号 {0}",
  "The account {} is already disabled": "账号 {0} 已停用",
  "The account {} is not disabled": "账号 {0} 未停用",
  "{} has no e-mail address. Add one and verify it: waypost user email <user> <email>, waypost user verify --email <email>":
    "没有邮箱：{0}。请先添加并验证：waypost user email <user> <email>，waypost user verify --email <email>",
  "The address of {} is not verified. Verify it first: waypost user verify --email <email>":
    "邮箱尚未验证：{0}。请先运行 waypost user verify --email <email>",
  "{} is already an administrator": "已是管理员：{0}",
  "{} is not an administrator": "不是管理员：{0}",
  "{} is already the only owner of workspace {}": "账号 {0} 已是工作区 {1} 的唯一所有者",
  "There is no workspace {}": "没有工作区 {0}",
  "must be the number of a workspace": "必须是工作区的编号",
  "This user is the only owner of {}. Transfer or delete the workspace first":
    "该账号是 {0} 的唯一所有者。请先转让或删除该工作区",
};
