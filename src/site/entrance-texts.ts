import { html } from "hono/html";
import { passwordMax, passwordMin } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import { languagesOf } from "../base/accept-language.ts";
import { keptLanguage } from "./kept-look.ts";

/** A piece of a page: what was put into it is escaped. */
export type Markup = ReturnType<typeof html>;

/** What a form can come back for, where its page has words of its own for it. */
export type Mistake =
  | "emailForm"
  | "emailTaken"
  | "nameLength"
  | "passwordLength"
  | "passwordWrong"
  | "accountWithoutPassword"
  | "signedOut"
  | "otherAddress"
  | "tooManyAttempts"
  | "busy";

/** What the pages around the dashboard say, in one language. */
export type EntranceTexts = {
  /** As `<html lang>` and Content-Language have it. */
  language: string;
  /** Asks a person for theirs. */
  name: string;
  email: string;
  password: string;
  passwordRule: string;
  signIn: string;
  setup: {
    account: string;
    accountText: string;
    newPassword: string;
    newPasswordText: (email: string) => Markup;
    save: string;
    closed: string;
    closedText: string;
    /** Before the command that sets a password. */
    onServer: string;
  };
  invite: {
    title: (workspace: string) => string;
    signedInAs: (who: string) => Markup;
    /** Whom it is for, too, where it is for one address alone. */
    about: (email: string | null) => Markup;
    join: string;
    closed: string;
    closedText: string;
  };
  mistakes: Readonly<Record<Mistake, string>>;
  /** Where no page is. */
  nothing: string;
  nothingText: string;
  toDashboard: string;
  /** In place of the dashboard, when it could not be built. */
  notBuilt: string;
  notBuiltText: Markup;
};

const english: EntranceTexts = {
  language: "en",
  name: "Your name",
  email: "E-mail",
  password: "Password",
  passwordRule: `At least ${passwordMin} characters.`,
  signIn: "Sign in",
  setup: {
    account: "Set up your account",
    accountText: "E-mail and password are what you sign in with.",
    newPassword: "Set your password",
    newPasswordText: (email) => html`For <strong>${email}</strong>. Where you are signed in now, you are signed out.`,
    save: "Save and sign in",
    closed: "This link is closed",
    closedText: "It was used or has expired. If you have a password, sign in with it.",
    onServer: "Otherwise, set one on the server:",
  },
  invite: {
    title: (workspace) => `Join ${workspace}`,
    signedInAs: (who) => html`You are signed in as <strong>${who}</strong>.`,
    about: (email) =>
      html`With a new account, or with the e-mail and password of yours.${email === null ? "" : html` The invite is for <strong>${email}</strong> alone.`}`,
    join: "Join",
    closed: "This invite is closed",
    closedText: "It was used, revoked or has expired. Ask for another one; if you have joined already, sign in.",
  },
  mistakes: {
    emailForm: "Your e-mail address must be one such as you@example.com.",
    emailTaken: "This e-mail address belongs to another user already.",
    nameLength: `Your name must have 1 to ${workspaceNameMax} characters.`,
    passwordLength: `Your password must have ${passwordMin} to ${passwordMax} characters.`,
    passwordWrong: "An account with this e-mail address is there already, and this is not its password.",
    accountWithoutPassword:
      "The account with this address has no password yet, by which you could say that it is yours. Accept the invite with an API key of the account, or set a password on the server: waypost user password --email you@example.com",
    signedOut: "You are not signed in any more. Join with the e-mail and password of your account.",
    otherAddress: "This invite is for another e-mail address than yours; ask for one of your own.",
    tooManyAttempts: "There were too many attempts; wait a while before the next one.",
    busy: "Too many passwords are being checked at the moment; try again in a few seconds.",
  },
  nothing: "Nothing is here",
  nothingText: "The address may have a slip in it, or what it showed is gone.",
  toDashboard: "To the dashboard",
  notBuilt: "The dashboard is not there",
  notBuiltText: html`It could not be built; the service’s log says why. Short links and the API work:
<a href="/docs">the reference</a>.`,
};

const german: EntranceTexts = {
  language: "de",
  name: "Ihr Name",
  email: "E-Mail",
  password: "Passwort",
  passwordRule: `Mindestens ${passwordMin} Zeichen.`,
  signIn: "Anmelden",
  setup: {
    account: "Konto einrichten",
    accountText: "Mit E-Mail und Passwort melden Sie sich an.",
    newPassword: "Passwort festlegen",
    newPasswordText: (email) =>
      html`Für <strong>${email}</strong>. Wo Sie jetzt angemeldet sind, werden Sie abgemeldet.`,
    save: "Speichern und anmelden",
    closed: "Dieser Link gilt nicht mehr",
    closedText: "Er wurde schon verwendet oder ist abgelaufen. Wenn Sie ein Passwort haben, melden Sie sich damit an.",
    onServer: "Sonst legen Sie eines auf dem Server fest:",
  },
  invite: {
    title: (workspace) => `${workspace} beitreten`,
    signedInAs: (who) => html`Sie sind angemeldet als <strong>${who}</strong>.`,
    about: (email) =>
      html`Mit einem neuen Konto oder mit E-Mail und Passwort Ihres bisherigen.${email === null ? "" : html` Die Einladung gilt nur für <strong>${email}</strong>.`}`,
    join: "Beitreten",
    closed: "Diese Einladung gilt nicht mehr",
    closedText:
      "Sie wurde schon angenommen oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie um eine neue; sind Sie schon beigetreten, melden Sie sich an.",
  },
  mistakes: {
    emailForm: "Ihre E-Mail-Adresse muss eine Form wie you@example.com haben.",
    emailTaken: "Diese E-Mail-Adresse gehört schon jemand anderem.",
    nameLength: `Ihr Name muss 1 bis ${workspaceNameMax} Zeichen haben.`,
    passwordLength: `Ihr Passwort muss ${passwordMin} bis ${passwordMax} Zeichen haben.`,
    passwordWrong: "Es gibt schon ein Konto mit dieser E-Mail-Adresse, und dies ist nicht sein Passwort.",
    accountWithoutPassword:
      "Das Konto mit dieser Adresse hat noch kein Passwort, mit dem Sie zeigen könnten, dass es Ihres ist. Nehmen Sie die Einladung mit einem API-Schlüssel des Kontos an, oder legen Sie auf dem Server ein Passwort fest: waypost user password --email you@example.com",
    signedOut: "Sie sind nicht mehr angemeldet. Treten Sie mit E-Mail und Passwort Ihres Kontos bei.",
    otherAddress: "Diese Einladung gilt für eine andere E-Mail-Adresse als Ihre; bitten Sie um eine eigene.",
    tooManyAttempts: "Es waren zu viele Versuche; warten Sie eine Weile vor dem nächsten.",
    busy: "Gerade werden zu viele Passwörter festgelegt; versuchen Sie es in ein paar Sekunden noch einmal.",
  },
  nothing: "Hier ist nichts",
  nothingText: "Vielleicht ist die Adresse vertippt, oder was sie zeigte, ist nicht mehr da.",
  toDashboard: "Zur Oberfläche",
  notBuilt: "Die Oberfläche ist nicht da",
  notBuiltText: html`Sie ließ sich nicht bauen; das Protokoll des Dienstes sagt, warum. Kurzlinks und die API
funktionieren: <a href="/docs">die Referenz</a>.`,
};

const chinese: EntranceTexts = {
  language: "zh-Hans",
  name: "您的姓名",
  email: "电子邮件",
  password: "密码",
  passwordRule: `至少 ${passwordMin} 个字符。`,
  signIn: "登录",
  setup: {
    account: "设置您的账户",
    accountText: "您将使用电子邮件和密码登录。",
    newPassword: "设置密码",
    newPasswordText: (email) => html`用于 <strong>${email}</strong>。目前已登录的地方都会退出登录。`,
    save: "保存并登录",
    closed: "此链接已失效",
    closedText: "链接已被使用或已过期。如果您已有密码，请用它登录。",
    onServer: "否则请在服务器上设置密码：",
  },
  invite: {
    title: (workspace) => `加入 ${workspace}`,
    signedInAs: (who) => html`当前登录账户：<strong>${who}</strong>。`,
    about: (email) =>
      html`可以创建新账户，也可以使用已有账户的电子邮件和密码。${email === null ? "" : html`此邀请仅限 <strong>${email}</strong> 使用。`}`,
    join: "加入",
    closed: "此邀请已失效",
    closedText: "邀请已被使用、撤回或已过期。请索取新的邀请；如果您已经加入，请登录。",
  },
  mistakes: {
    emailForm: "请输入有效的电子邮件地址，例如 you@example.com。",
    emailTaken: "此电子邮件地址已属于另一位用户。",
    nameLength: `姓名须为 1 到 ${workspaceNameMax} 个字符。`,
    passwordLength: `密码须为 ${passwordMin} 到 ${passwordMax} 个字符。`,
    passwordWrong: "使用此电子邮件地址的账户已存在，而密码不正确。",
    accountWithoutPassword:
      "使用此地址的账户尚未设置密码，无法证明它属于您。请用该账户的 API 密钥接受邀请，或在服务器上设置密码：waypost user password --email you@example.com",
    signedOut: "您已退出登录。请使用您账户的电子邮件和密码加入。",
    otherAddress: "此邀请属于另一个电子邮件地址；请索取您自己的邀请。",
    tooManyAttempts: "尝试次数过多，请稍后再试。",
    busy: "目前正在设置的密码过多，请几秒钟后重试。",
  },
  nothing: "这里没有内容",
  nothingText: "地址可能有误，或者内容已不存在。",
  toDashboard: "前往控制台",
  notBuilt: "控制台无法显示",
  notBuiltText: html`控制台构建失败；原因见服务日志。短链接和 API 仍然可用：<a href="/docs">参考文档</a>。`,
};

/** TABLE of languages by primary tag: those of the dashboard. */
const languages = new Map<string, EntranceTexts>([
  ["en", english],
  ["de", german],
  ["zh", chinese],
]);

/**
 * The texts in the language that was chosen in the dashboard of this browser, else in the best that Accept-Language asks
 * for and we have; English where there is none.
 */
export function entranceTexts(request: Pick<Request, "headers">): EntranceTexts {
  const wanted = [keptLanguage(request) ?? "", ...languagesOf(request.headers.get("accept-language") ?? "")];
  for (const tag of wanted) {
    const texts = languages.get(tag.replace(/-.*/s, ""));
    if (texts !== undefined) return texts;
  }
  return english;
}
