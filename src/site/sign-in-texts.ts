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
  | "signUpClosed"
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
  continueWith: (provider: string) => string;
  setup: {
    account: string;
    accountText: string;
    /** The same while people sign in with the identity provider only. */
    accountAtProvider: (provider: string) => string;
    newPassword: string;
    newPasswordText: (email: string) => Markup;
    save: string;
    closed: string;
    closedText: string;
    closedAtProvider: (provider: string) => string;
    /** Before the command that sets a password. */
    onServer: string;
  };
  invite: {
    title: (workspace: string) => string;
    signedInAs: (who: string) => Markup;
    /** The address that the link was mailed to, if any. */
    about: (email: string | null) => Markup;
    /** The same while only the operator creates accounts. */
    aboutClosed: (email: string | null) => Markup;
    join: string;
    /** Replaces the form while people sign in with the identity provider only. The address that the invite names. */
    withProvider: (provider: string, email: string | null) => Markup;
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
  magicLink: {
    title: string;
    text: (email: string) => Markup;
    /** In another browser than the one that requested the link. */
    otherBrowser: string;
    /** Before signing in verifies the address. */
    verifies: string;
    code: string;
    codeHint: string;
    wrongCode: string;
    closedText: string;
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
  continueWith: (provider) => `Continue with ${provider}`,
  setup: {
    account: "Set up your account",
    accountText: "You’ll use this e-mail and password to sign in.",
    accountAtProvider: (provider) => `Enter your e-mail address at ${provider}. Later, you sign in there.`,
    newPassword: "Set your password",
    newPasswordText: (email) => html`For <strong>${email}</strong>. This signs you out everywhere else.`,
    save: "Save and sign in",
    closed: "This link is no longer valid",
    closedText: "It was already used or has expired. If you have a password, sign in with it.",
    closedAtProvider: (provider) => `It was already used or has expired. Sign in with ${provider}.`,
    onServer: "Otherwise, set a password on the server:",
  },
  invite: {
    title: (workspace) => `Join ${workspace}`,
    signedInAs: (who) => html`You are signed in as <strong>${who}</strong>.`,
    about: (email) =>
      html`Create an account, or enter the e-mail and password of your existing one.${email === null ? "" : html` You’ll join as <strong>${email}</strong>.`}`,
    aboutClosed: (email) =>
      html`Enter the e-mail and password of your account. Only the operator of this service creates new accounts.${email === null ? "" : html` You’ll join as <strong>${email}</strong>.`}`,
    join: "Join",
    withProvider: (provider, email) =>
      email === null
        ? html`Sign in with <strong>${provider}</strong> to join.`
        : html`This invitation is for <strong>${email}</strong>. Sign in with <strong>${provider}</strong> to join.`,
    mailedInviteRequired: (email) =>
      html`This invitation is for <strong>${email}</strong>. Open the link in the e-mail sent to that address. Already have a verified account with it? Sign in and open this link again. If no e-mail arrives, contact the operator of this service.`,
    onlyVerified: (email) =>
      html`This invitation is for <strong>${email}</strong>. Already have a verified account with this address? Sign in and open this link again. If not, ask the person who invited you for a link without an e-mail address, or ask the operator for an account. This service doesn’t send e-mail.`,
    mailAbout: "Enter your e-mail address and we’ll send you a link to join.",
    mailMe: "Send link",
    mailSent: (email) => html`We sent a link to <strong>${email}</strong>. Open it to join.`,
    closed: "This invitation is no longer valid",
    closedText:
      "It was already used, was revoked, or has expired. Ask for a new one. If you’ve already joined, sign in.",
  },
  verify: {
    title: "Verify your e-mail address",
    text: (email) => html`<strong>${email}</strong> is the e-mail address of your account.`,
    save: "Verify",
    signInFirst: (email) =>
      html`Sign in to the account for <strong>${email}</strong> in this browser, then open the link in the e-mail again.`,
    otherwise: "Don’t know the password? Set a new one. This ends the account’s API keys and sessions.",
    setPassword: "Set a password",
  },
  magicLink: {
    title: "Sign in to Waypost",
    text: (email) => html`You’ll sign in as <strong>${email}</strong>.`,
    otherBrowser:
      "This link was requested in another browser. Continue only if you requested it and this is your account.",
    verifies: "This verifies your e-mail address and ends the account’s earlier password, API keys and sessions.",
    code: "Code",
    codeHint: "6 digits from your authenticator app, or a recovery code.",
    wrongCode: "This code is wrong or was already used.",
    closedText: "It was already used, has expired, or was replaced by a newer one. Request another one.",
  },
  memberships: {
    title: "Your workspaces",
    text: "Your e-mail address is verified. Earlier API keys and sessions of this account have ended. This account already belongs to these workspaces. Select the ones you want to leave.",
    leave: (workspace) => html`Leave <strong>${workspace}</strong>`,
    save: "Continue",
  },
  formErrors: {
    emailForm: "Enter a valid e-mail address, such as you@example.com.",
    emailTaken: "This e-mail address is already in use.",
    nameLength: `Enter a name with 1 to ${workspaceNameMax} characters.`,
    passwordLength: `Enter a password with ${passwordMin} to ${passwordMax} characters.`,
    passwordWrong: "Incorrect e-mail or password. If you have an account, sign in first and open this link again.",
    signedOut: "You’re no longer signed in. Join with your account’s e-mail and password.",
    otherAddress: "This invitation is for another e-mail address. Ask for one for yours.",
    signUpClosed: "Only the operator of this service creates accounts. If you have one, use its e-mail and password.",
    tooManyAttempts: "Too many attempts. Try again later.",
    busy: "The service is busy. Try again in a few seconds.",
  },
  nothing: "Page not found",
  nothingText: "The URL may be mistyped, or the page no longer exists.",
  toDashboard: "Go to dashboard",
  notBuilt: "Dashboard unavailable",
  notBuiltText: html`The dashboard couldn’t be built. The service’s log shows why. Short links and the API still work:
<a href="/docs">API reference</a>.`,
};

const german: SignInTexts = {
  language: "de",
  name: "Ihr Name",
  email: "E-Mail",
  password: "Passwort",
  passwordRule: `Mindestens ${passwordMin} Zeichen.`,
  signIn: "Anmelden",
  continueWith: (provider) => `Weiter mit ${provider}`,
  setup: {
    account: "Konto einrichten",
    accountText: "Mit dieser E-Mail-Adresse und diesem Passwort melden Sie sich an.",
    accountAtProvider: (provider) =>
      `Geben Sie Ihre E-Mail-Adresse bei ${provider} ein. Danach melden Sie sich dort an.`,
    newPassword: "Passwort festlegen",
    newPasswordText: (email) => html`Für <strong>${email}</strong>. Sie werden auf allen anderen Geräten abgemeldet.`,
    save: "Speichern und anmelden",
    closed: "Dieser Link ist nicht mehr gültig",
    closedText: "Er wurde schon verwendet oder ist abgelaufen. Wenn Sie ein Passwort haben, melden Sie sich damit an.",
    closedAtProvider: (provider) => `Er wurde schon verwendet oder ist abgelaufen. Melden Sie sich mit ${provider} an.`,
    onServer: "Andernfalls legen Sie auf dem Server ein Passwort fest:",
  },
  invite: {
    title: (workspace) => `„${workspace}“ beitreten`,
    signedInAs: (who) => html`Sie sind angemeldet als <strong>${who}</strong>.`,
    about: (email) =>
      html`Erstellen Sie ein Konto oder geben Sie E-Mail und Passwort Ihres bestehenden Kontos ein.${email === null ? "" : html` Sie treten als <strong>${email}</strong> bei.`}`,
    aboutClosed: (email) =>
      html`Geben Sie E-Mail und Passwort Ihres Kontos ein. Neue Konten erstellt nur der Betreiber dieses Dienstes.${email === null ? "" : html` Sie treten als <strong>${email}</strong> bei.`}`,
    join: "Beitreten",
    withProvider: (provider, email) =>
      email === null
        ? html`Melden Sie sich mit <strong>${provider}</strong> an, um beizutreten.`
        : html`Diese Einladung gilt für <strong>${email}</strong>. Melden Sie sich mit <strong>${provider}</strong> an, um beizutreten.`,
    mailedInviteRequired: (email) =>
      html`Diese Einladung gilt für <strong>${email}</strong>. Öffnen Sie den Link in der E-Mail an diese Adresse. Haben Sie bereits ein bestätigtes Konto mit dieser Adresse? Dann melden Sie sich an und öffnen Sie diesen Link noch einmal. Kommt keine E-Mail an, wenden Sie sich an den Betreiber dieses Dienstes.`,
    onlyVerified: (email) =>
      html`Diese Einladung gilt für <strong>${email}</strong>. Haben Sie bereits ein bestätigtes Konto mit dieser Adresse? Dann melden Sie sich an und öffnen Sie diesen Link noch einmal. Andernfalls bitten Sie die Person, die Sie eingeladen hat, um einen Link ohne E-Mail-Adresse oder den Betreiber um ein Konto. Dieser Dienst sendet keine E-Mails.`,
    mailAbout: "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link zum Beitreten.",
    mailMe: "Link senden",
    mailSent: (email) =>
      html`Wir haben einen Link an <strong>${email}</strong> gesendet. Öffnen Sie ihn, um beizutreten.`,
    closed: "Diese Einladung ist nicht mehr gültig",
    closedText:
      "Sie wurde bereits verwendet, widerrufen oder ist abgelaufen. Bitten Sie um eine neue. Wenn Sie schon beigetreten sind, melden Sie sich an.",
  },
  verify: {
    title: "E-Mail-Adresse bestätigen",
    text: (email) => html`<strong>${email}</strong> ist die E-Mail-Adresse Ihres Kontos.`,
    save: "Bestätigen",
    signInFirst: (email) =>
      html`Melden Sie sich in diesem Browser beim Konto für <strong>${email}</strong> an und öffnen Sie den Link in der E-Mail dann noch einmal.`,
    otherwise:
      "Sie kennen das Passwort nicht? Legen Sie ein neues fest. Die API-Schlüssel und Sitzungen des Kontos werden dadurch ungültig.",
    setPassword: "Passwort festlegen",
  },
  magicLink: {
    title: "Bei Waypost anmelden",
    text: (email) => html`Sie melden sich als <strong>${email}</strong> an.`,
    otherBrowser:
      "Dieser Link wurde in einem anderen Browser angefordert. Fahren Sie nur fort, wenn Sie ihn selbst angefordert haben und dies Ihr Konto ist.",
    verifies:
      "Damit bestätigen Sie Ihre E-Mail-Adresse. Das bisherige Passwort, die API-Schlüssel und die Sitzungen des Kontos werden ungültig.",
    code: "Code",
    codeHint: "6 Ziffern aus Ihrer Authenticator-App oder ein Wiederherstellungscode.",
    wrongCode: "Dieser Code ist falsch oder wurde schon verwendet.",
    closedText:
      "Er wurde schon verwendet, ist abgelaufen oder durch einen neueren ersetzt. Fordern Sie einen neuen an.",
  },
  memberships: {
    title: "Ihre Arbeitsbereiche",
    text: "Ihre E-Mail-Adresse ist bestätigt. Frühere API-Schlüssel und Sitzungen dieses Kontos sind ungültig. Dieses Konto gehört bereits zu diesen Arbeitsbereichen. Wählen Sie aus, welche Sie verlassen möchten.",
    leave: (workspace) => html`<strong>${workspace}</strong> verlassen`,
    save: "Weiter",
  },
  formErrors: {
    emailForm: "Geben Sie eine gültige E-Mail-Adresse ein, etwa you@example.com.",
    emailTaken: "Diese E-Mail-Adresse wird bereits verwendet.",
    nameLength: `Geben Sie einen Namen mit 1 bis ${workspaceNameMax} Zeichen ein.`,
    passwordLength: `Geben Sie ein Passwort mit ${passwordMin} bis ${passwordMax} Zeichen ein.`,
    passwordWrong:
      "E-Mail oder Passwort ist falsch. Wenn Sie ein Konto haben, melden Sie sich zuerst an und öffnen Sie diesen Link noch einmal.",
    signedOut: "Sie sind nicht mehr angemeldet. Treten Sie mit E-Mail und Passwort Ihres Kontos bei.",
    otherAddress: "Diese Einladung gilt für eine andere E-Mail-Adresse. Bitten Sie um eine für Ihre Adresse.",
    signUpClosed:
      "Nur der Betreiber dieses Dienstes erstellt Konten. Wenn Sie eines haben, verwenden Sie dessen E-Mail und Passwort.",
    tooManyAttempts: "Zu viele Versuche. Versuchen Sie es später noch einmal.",
    busy: "Der Dienst ist gerade ausgelastet. Versuchen Sie es in ein paar Sekunden noch einmal.",
  },
  nothing: "Seite nicht gefunden",
  nothingText: "Vielleicht enthält die Adresse einen Tippfehler, oder die Seite existiert nicht mehr.",
  toDashboard: "Zum Dashboard",
  notBuilt: "Dashboard nicht verfügbar",
  notBuiltText: html`Das Dashboard konnte nicht erstellt werden. Der Grund steht im Protokoll des Dienstes. Kurzlinks und die API
funktionieren weiterhin: <a href="/docs">API-Referenz</a>.`,
};

const chinese: SignInTexts = {
  language: "zh-Hans",
  name: "您的姓名",
  email: "邮箱",
  password: "密码",
  passwordRule: `至少 ${passwordMin} 个字符。`,
  signIn: "登录",
  continueWith: (provider) => `使用 ${provider} 继续`,
  setup: {
    account: "设置您的账号",
    accountText: "您将使用此邮箱和密码登录。",
    accountAtProvider: (provider) => `请输入您在 ${provider} 使用的邮箱，以后通过 ${provider} 登录。`,
    newPassword: "设置密码",
    newPasswordText: (email) => html`账号：<strong>${email}</strong>。其他所有已登录的设备都将退出登录。`,
    save: "保存并登录",
    closed: "此链接已失效",
    closedText: "链接已被使用或已过期。如果您已有密码，请用它登录。",
    closedAtProvider: (provider) => `链接已被使用或已过期。请使用 ${provider} 登录。`,
    onServer: "否则，请在服务器上设置密码：",
  },
  invite: {
    title: (workspace) => `加入 ${workspace}`,
    signedInAs: (who) => html`当前登录账号：<strong>${who}</strong>。`,
    about: (email) =>
      html`可以创建新账号，也可以使用已有账号的邮箱和密码。${email === null ? "" : html`您将以 <strong>${email}</strong> 的身份加入。`}`,
    aboutClosed: (email) =>
      html`请输入您账号的邮箱和密码。新账号仅由本服务的运营者创建。${email === null ? "" : html`您将以 <strong>${email}</strong> 的身份加入。`}`,
    join: "加入",
    withProvider: (provider, email) =>
      email === null
        ? html`使用 <strong>${provider}</strong> 登录即可加入。`
        : html`此邀请仅限 <strong>${email}</strong>。使用 <strong>${provider}</strong> 登录即可加入。`,
    mailedInviteRequired: (email) =>
      html`此邀请仅限 <strong>${email}</strong>。请打开发送到该邮箱的邮件中的链接。如果您已有使用该邮箱的已验证账号，请登录后再次打开此链接。如果没有收到邮件，请联系本服务的运营者。`,
    onlyVerified: (email) =>
      html`此邀请仅限 <strong>${email}</strong>。如果您已有使用该邮箱的已验证账号，请登录后再次打开此链接。否则，请向邀请您的人索取不含邮箱的链接，或请运营者为您创建账号。本服务不发送邮件。`,
    mailAbout: "输入您的邮箱，我们会向您发送加入链接。",
    mailMe: "发送链接",
    mailSent: (email) => html`我们已将链接发送至 <strong>${email}</strong>。请打开该链接加入。`,
    closed: "此邀请已失效",
    closedText: "邀请已被使用、撤销或已过期。请索取新的邀请。如果您已加入，请登录。",
  },
  verify: {
    title: "验证您的邮箱",
    text: (email) => html`<strong>${email}</strong> 是您账号的邮箱。`,
    save: "验证",
    signInFirst: (email) => html`请在此浏览器中登录邮箱为 <strong>${email}</strong> 的账号，然后再次打开邮件中的链接。`,
    otherwise: "不知道密码？请设置新密码。此账号的 API 密钥和会话将随之失效。",
    setPassword: "设置密码",
  },
  magicLink: {
    title: "登录 Waypost",
    text: (email) => html`您将以 <strong>${email}</strong> 的身份登录。`,
    otherBrowser: "此链接是在另一个浏览器中请求的。只有您本人请求了此链接，且这是您的账号时，才可继续。",
    verifies: "登录将验证您的邮箱，此账号先前的密码、API 密钥和会话将随之失效。",
    code: "验证码",
    codeHint: "身份验证器应用中的 6 位数字，或一个恢复代码。",
    wrongCode: "此验证码不正确或已被使用。",
    closedText: "链接已被使用、已过期或已被新链接取代。请重新获取。",
  },
  memberships: {
    title: "您的工作区",
    text: "您的邮箱已验证。此账号先前的 API 密钥和会话已失效。此账号已属于以下工作区，请选择要退出的工作区。",
    leave: (workspace) => html`退出 <strong>${workspace}</strong>`,
    save: "继续",
  },
  formErrors: {
    emailForm: "请输入有效的邮箱，例如 you@example.com。",
    emailTaken: "此邮箱已被使用。",
    nameLength: `姓名须为 1 到 ${workspaceNameMax} 个字符。`,
    passwordLength: `密码须为 ${passwordMin} 到 ${passwordMax} 个字符。`,
    passwordWrong: "邮箱或密码不正确。如果您已有账号，请先登录，然后再次打开此链接。",
    signedOut: "您已退出登录。请使用您账号的邮箱和密码加入。",
    otherAddress: "此邀请仅限另一个邮箱。请索取适用于您邮箱的邀请。",
    signUpClosed: "本服务的账号仅由运营者创建。如果您已有账号，请使用其邮箱和密码。",
    tooManyAttempts: "尝试次数过多，请稍后再试。",
    busy: "服务繁忙，请几秒钟后重试。",
  },
  nothing: "页面未找到",
  nothingText: "网址可能有误，或页面已不存在。",
  toDashboard: "前往控制台",
  notBuilt: "控制台不可用",
  notBuiltText: html`控制台构建失败，原因见服务日志。短链接和 API 仍然可用：<a href="/docs">API 参考</a>。`,
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

/** The language of the pages that a request gets, as users and notifications have it: "en", "de" or "zh". */
export function pageLanguage(request: Pick<Request, "headers">): string {
  return signInTexts(request).language.replace(/-.*/s, "");
}
