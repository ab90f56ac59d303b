import { html } from "hono/html";
import { type Markup, signInTexts } from "./sign-in-texts.ts";

/** The texts of the pages on which people create an account. */
type SignUpTexts = {
  title: string;
  about: string;
  send: string;
  /** Before the link to the sign-in page. */
  haveAccount: string;
  sent: (email: string) => Markup;
  finishTitle: string;
  finish: (email: string) => Markup;
  create: string;
  closedTitle: string;
  /** Why nobody can sign up here, by mode. */
  closedText: Readonly<Record<"closed" | "invite", string>>;
  /** Where the identity provider creates accounts. */
  withProvider: (provider: string) => string;
  linkClosed: string;
  linkClosedText: string;
  again: string;
};

const english: SignUpTexts = {
  title: "Create an account",
  about: "Enter your e-mail address and we’ll send you a link to continue.",
  send: "Send link",
  haveAccount: "Already have an account?",
  sent: (email) => html`We sent an e-mail to <strong>${email}</strong>. Open the link in it to create your account.`,
  finishTitle: "Finish creating your account",
  finish: (email) => html`You’ll sign in with <strong>${email}</strong>.`,
  create: "Create account",
  closedTitle: "You need an invitation",
  closedText: {
    closed: "Only the operator of this service creates accounts.",
    invite: "To create an account, open an invitation to a workspace. Its owners can send you one.",
  },
  withProvider: (provider) => `Sign in with ${provider} to create an account.`,
  linkClosed: "This link is no longer valid",
  linkClosedText: "It has expired, or you already have an account.",
  again: "Request another link",
};

const german: SignUpTexts = {
  title: "Konto erstellen",
  about: "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem es weitergeht.",
  send: "Link senden",
  haveAccount: "Haben Sie schon ein Konto?",
  sent: (email) =>
    html`Wir haben eine E-Mail an <strong>${email}</strong> gesendet. Öffnen Sie den Link darin, um Ihr Konto zu erstellen.`,
  finishTitle: "Konto fertig einrichten",
  finish: (email) => html`Sie melden sich mit <strong>${email}</strong> an.`,
  create: "Konto erstellen",
  closedTitle: "Sie brauchen eine Einladung",
  closedText: {
    closed: "Nur der Betreiber dieses Dienstes erstellt Konten.",
    invite:
      "Ein Konto erstellen Sie über die Einladung in einen Arbeitsbereich. Dessen Inhaber können Ihnen eine senden.",
  },
  withProvider: (provider) => `Melden Sie sich mit ${provider} an, um ein Konto zu erstellen.`,
  linkClosed: "Dieser Link ist nicht mehr gültig",
  linkClosedText: "Er ist abgelaufen, oder Sie haben schon ein Konto.",
  again: "Neuen Link anfordern",
};

const chinese: SignUpTexts = {
  title: "创建账号",
  about: "输入您的邮箱，我们会向您发送继续操作的链接。",
  send: "发送链接",
  haveAccount: "已有账号？",
  sent: (email) => html`我们已向 <strong>${email}</strong> 发送邮件。请打开其中的链接创建账号。`,
  finishTitle: "完成账号创建",
  finish: (email) => html`您将使用 <strong>${email}</strong> 登录。`,
  create: "创建账号",
  closedTitle: "您需要邀请",
  closedText: {
    closed: "本服务的账号仅由运营者创建。",
    invite: "要创建账号，请打开工作区的邀请链接。工作区所有者可以向您发送邀请。",
  },
  withProvider: (provider) => `使用 ${provider} 登录即可创建账号。`,
  linkClosed: "此链接已失效",
  linkClosedText: "链接已过期，或您已有账号。",
  again: "重新获取链接",
};

/** TABLE of languages by the value of `<html lang>`. */
const languages = new Map<string, SignUpTexts>([
  ["de", german],
  ["zh-Hans", chinese],
]);

/** The texts in the language of the other sign-in pages. */
export function signUpTexts(request: Pick<Request, "headers">): SignUpTexts {
  return languages.get(signInTexts(request).language) ?? english;
}
