import { html } from "hono/html";
import { passwordMax, passwordMin } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import { languagesOf } from "../base/accept-language.ts";
import { languageOf } from "./preference-cookies.ts";

/** A piece of markup; values inserted into it were escaped. */
export type Markup = ReturnType<typeof html>;

/** The errors of forms that have translations. */
export type FormError =
  | "emailForm"
  | "emailTaken"
  | "nameLength"
  | "passwordLength"
  | "passwordWrong"
  | "signedOut"
  | "otherAddress"
  | "tooManyAttempts"
  | "busy";

/** The texts of the sign-in pages, in one language. */
export type SignInTexts = {
  /** The value of `<html lang>` and Content-Language. */
  language: string;
  /** The label of the field for a person's name. */
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
    /** The address that the link was mailed to, if any. */
    about: (email: string | null) => Markup;
    join: string;
    /** Replaces the form when the invite names an address and its link was not mailed. */
    mailedInviteRequired: (email: string) => Markup;
    /** The same without a mail server. */
    onlyVerified: (email: string) => Markup;
    mailAbout: string;
    mailMe: string;
    mailSent: (email: string) => Markup;
    closed: string;
    closedText: string;
  };
  verify: {
    title: string;
    text: (email: string) => Markup;
    save: string;
    signInFirst: (email: string) => Markup;
    /** Before the link to the page that sets a password. */
    otherwise: string;
    setPassword: string;
  };
  memberships: { title: string; text: string; leave: (workspace: string) => Markup; save: string };
  formErrors: Readonly<Record<FormError, string>>;
  /** Where no page is. */
  nothing: string;
  nothingText: string;
  toDashboard: string;
  /** Replaces the dashboard when its build failed. */
  notBuilt: string;
  notBuiltText: Markup;
};

const english: SignInTexts = {
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
      html`Create an account, or use the e-mail and password of your existing one.${email === null ? "" : html` You join as <strong>${email}</strong>.`}`,
    join: "Join",
    mailedInviteRequired: (email) =>
      html`This invite is for <strong>${email}</strong>. Open the link in the mail that was sent there. If you have a verified account with this address, sign in and open this link again. If no mail arrives, ask the operator of this service.`,
    onlyVerified: (email) =>
      html`This invite is for <strong>${email}</strong>. If you have a verified account with this address, sign in and open this link again. This service sends no mail. If you have no account, ask the person who invited you for a link without an e-mail address, or ask the operator for an account.`,
    mailAbout: "Enter your e-mail address; we send you a link to join.",
    mailMe: "Send me the link",
    mailSent: (email) => html`A link is on its way to <strong>${email}</strong>. Open it to join.`,
    closed: "This invite is closed",
    closedText: "It was used, revoked or has expired. Ask for another one; if you have joined already, sign in.",
  },
  verify: {
    title: "Verify your e-mail address",
    text: (email) => html`<strong>${email}</strong> is the e-mail address of your account.`,
    save: "Verify",
    signInFirst: (email) =>
      html`Sign in to the account with the address <strong>${email}</strong> in this browser, then open the link in the mail again.`,
    otherwise: "If you do not know its password, set one. Then the account’s API keys and sessions end:",
    setPassword: "Set a password",
  },
  memberships: {
    title: "Your workspaces",
    text: "Your e-mail address is verified. Earlier API keys and sessions of this account have ended. The account already belonged to these workspaces; choose those you want to leave.",
    leave: (workspace) => html`Leave <strong>${workspace}</strong>`,
    save: "Continue",
  },
  formErrors: {
    emailForm: "Your e-mail address must have a form such as you@example.com.",
    emailTaken: "This e-mail address already belongs to another user.",
    nameLength: `Your name must have 1 to ${workspaceNameMax} characters.`,
    passwordLength: `Your password must have ${passwordMin} to ${passwordMax} characters.`,
    passwordWrong:
      "This password does not go with this e-mail address. If you have an account, sign in first and open this link again.",
    signedOut: "You are not signed in any more. Join with the e-mail and password of your account.",
    otherAddress: "This invite is for another e-mail address; ask for an invite to yours.",
    tooManyAttempts: "Too many attempts; try again later.",
    busy: "Too many passwords are being checked at the moment; try again in a few seconds.",
  },
  nothing: "Nothing is here",
  nothingText: "The address may have a slip in it, or what it showed is gone.",
  toDashboard: "To the dashboard",
  notBuilt: "The dashboard is not there",
  notBuiltText: html`It could not be built; the service’s log says why. Short links and the API work:
<a href="/docs">the reference</a>.`,
};

const german: SignInTexts = {
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
      html`Mit einem neuen Konto oder mit E-Mail und Passwort Ihres bisherigen.${email === null ? "" : html` Das Konto ist das von <strong>${email}</strong>.`}`,
    join: "Beitreten",
    mailedInviteRequired: (email) =>
      html`Diese Einladung gilt für <strong>${email}</strong>. Öffnen Sie den Link in der E-Mail, die dorthin ging. Wenn Sie ein bestätigtes Konto mit dieser Adresse haben, melden Sie sich an und öffnen Sie diesen Link noch einmal. Kommt keine E-Mail an, fragen Sie den Betreiber dieses Dienstes.`,
    onlyVerified: (email) =>
      html`Diese Einladung gilt für <strong>${email}</strong>. Wenn Sie ein bestätigtes Konto mit dieser Adresse haben, melden Sie sich an und öffnen Sie diesen Link noch einmal. Dieser Dienst versendet keine E-Mails. Wenn Sie kein Konto haben, bitten Sie die Person, die Sie eingeladen hat, um einen Link ohne E-Mail-Adresse, oder den Betreiber um ein Konto.`,
    mailAbout: "Geben Sie Ihre E-Mail-Adresse ein; wir senden Ihnen einen Link zum Beitreten.",
    mailMe: "Link senden",
    mailSent: (email) => html`Ein Link ist unterwegs an <strong>${email}</strong>. Öffnen Sie ihn, um beizutreten.`,
    closed: "Diese Einladung gilt nicht mehr",
    closedText:
      "Sie wurde schon angenommen oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie um eine neue; sind Sie schon beigetreten, melden Sie sich an.",
  },
  verify: {
    title: "E-Mail-Adresse bestätigen",
    text: (email) => html`<strong>${email}</strong> ist die E-Mail-Adresse Ihres Kontos.`,
    save: "Bestätigen",
    signInFirst: (email) =>
      html`Melden Sie sich in diesem Browser beim Konto mit der Adresse <strong>${email}</strong> an, und öffnen Sie dann den Link in der E-Mail noch einmal.`,
    otherwise:
      "Wenn Sie das Passwort nicht kennen, legen Sie eines fest. Dann enden die API-Schlüssel und Sitzungen des Kontos:",
    setPassword: "Passwort festlegen",
  },
  memberships: {
    title: "Ihre Arbeitsbereiche",
    text: "Ihre E-Mail-Adresse ist bestätigt. Frühere API-Schlüssel und Sitzungen dieses Kontos sind beendet. Das Konto gehörte schon zu diesen Arbeitsbereichen; wählen Sie, welche Sie verlassen möchten.",
    leave: (workspace) => html`<strong>${workspace}</strong> verlassen`,
    save: "Weiter",
  },
  formErrors: {
    emailForm: "Ihre E-Mail-Adresse muss eine Form wie you@example.com haben.",
    emailTaken: "Diese E-Mail-Adresse gehört schon jemand anderem.",
    nameLength: `Ihr Name muss 1 bis ${workspaceNameMax} Zeichen haben.`,
    passwordLength: `Ihr Passwort muss ${passwordMin} bis ${passwordMax} Zeichen haben.`,
    passwordWrong:
      "Dieses Passwort passt nicht zu dieser E-Mail-Adresse. Wenn Sie ein Konto haben, melden Sie sich erst an und öffnen Sie diesen Link noch einmal.",
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

const chinese: SignInTexts = {
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
      html`可以创建新账户，也可以使用已有账户的电子邮件和密码。${email === null ? "" : html`账户地址为 <strong>${email}</strong>。`}`,
    join: "加入",
    mailedInviteRequired: (email) =>
      html`此邀请仅限 <strong>${email}</strong>。请打开发送到该地址的邮件中的链接。如果您已有使用此地址且经过验证的账户，请登录后再次打开此链接。如果没有收到邮件，请联系本服务的运营者。`,
    onlyVerified: (email) =>
      html`此邀请仅限 <strong>${email}</strong>。如果您已有使用此地址且经过验证的账户，请登录后再次打开此链接。本服务不发送邮件。如果您没有账户，请向邀请您的人索取不含电子邮件地址的链接，或请运营者为您创建账户。`,
    mailAbout: "请输入您的电子邮件地址；我们会向您发送加入链接。",
    mailMe: "发送链接",
    mailSent: (email) => html`链接正在发送到 <strong>${email}</strong>。请打开该链接以加入。`,
    closed: "此邀请已失效",
    closedText: "邀请已被使用、撤回或已过期。请索取新的邀请；如果您已经加入，请登录。",
  },
  verify: {
    title: "验证您的电子邮件地址",
    text: (email) => html`<strong>${email}</strong> 是您账户的电子邮件地址。`,
    save: "验证",
    signInFirst: (email) => html`请在此浏览器中登录地址为 <strong>${email}</strong> 的账户，然后再次打开邮件中的链接。`,
    otherwise: "如果您不知道密码，请设置新密码。此账户的 API 密钥和会话随之失效：",
    setPassword: "设置密码",
  },
  memberships: {
    title: "您的工作区",
    text: "您的电子邮件地址已验证。此账户先前的 API 密钥和会话已失效。此账户已属于以下工作区；请选择要退出的工作区。",
    leave: (workspace) => html`退出 <strong>${workspace}</strong>`,
    save: "继续",
  },
  formErrors: {
    emailForm: "请输入有效的电子邮件地址，例如 you@example.com。",
    emailTaken: "此电子邮件地址已属于另一位用户。",
    nameLength: `姓名须为 1 到 ${workspaceNameMax} 个字符。`,
    passwordLength: `密码须为 ${passwordMin} 到 ${passwordMax} 个字符。`,
    passwordWrong: "此密码与此电子邮件地址不符。如果您已有账户，请先登录，然后再次打开此链接。",
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
const languages = new Map<string, SignInTexts>([
  ["en", english],
  ["de", german],
  ["zh", chinese],
]);

/**
 * The texts in the language that was chosen in the dashboard of this browser, else in the best that Accept-Language
 * asks for and we have; English where there is none.
 */
export function signInTexts(request: Pick<Request, "headers">): SignInTexts {
  const wanted = [languageOf(request) ?? "", ...languagesOf(request.headers.get("accept-language") ?? "")];
  for (const tag of wanted) {
    const texts = languages.get(tag.replace(/-.*/s, ""));
    if (texts !== undefined) return texts;
  }
  return english;
}
