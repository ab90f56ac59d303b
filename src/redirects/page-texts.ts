import { languagesOf } from "../base/accept-language.ts";
import type { PageName } from "./decision.ts";
import type { PasswordError } from "./password-check.ts";

/** The texts of the pages for visitors, in one language. */
export type PageTexts = {
  /** The value of `<html lang>` and Content-Language. */
  language: string;
  pages: Readonly<Record<PageName, { title: string; text: string }>>;
  passwordErrors: Readonly<Record<PasswordError, string>>;
  /** Begins the title of a page that shows an error, so that a screen reader says it first. */
  error: string;
  password: string;
  proceed: string;
  /** The link on a framed page, for browsers that leave the frame empty. */
  frameFails: string;
};

const english: PageTexts = {
  language: "en",
  pages: {
    password: { title: "Password required", text: "Enter the password to continue." },
    expired: { title: "This link has expired", text: "It’s no longer available." },
    usedUp: { title: "Click limit reached", text: "This link is no longer available." },
    notStarted: { title: "This link isn’t active yet", text: "Please come back later." },
    deleted: { title: "This link was deleted", text: "It’s no longer available." },
    disabled: { title: "This link is disabled", text: "Its owner has turned it off." },
    blocked: { title: "This link is blocked", text: "It was blocked by the operator of this service." },
    notFound: {
      title: "Link not found",
      text: "The address may be mistyped or incomplete.",
    },
    unverified: { title: "This domain isn’t set up yet", text: "Its owner still has to verify it." },
    unavailable: { title: "This link is temporarily unavailable", text: "Please try again in a moment." },
  },
  passwordErrors: {
    wrong: "Incorrect password.",
    tooLong: "This password is too long.",
    tooMany: "Too many attempts. Try again in a minute.",
    busy: "We couldn’t check your password. Try again in a moment.",
  },
  error: "Error",
  password: "Password",
  proceed: "Continue",
  frameFails: "Page not loading? Open it directly",
};

const german: PageTexts = {
  language: "de",
  pages: {
    password: { title: "Passwort erforderlich", text: "Geben Sie das Passwort ein, um fortzufahren." },
    expired: { title: "Dieser Link ist abgelaufen", text: "Er ist nicht mehr verfügbar." },
    usedUp: { title: "Klicklimit erreicht", text: "Dieser Link ist nicht mehr verfügbar." },
    notStarted: { title: "Dieser Link ist noch nicht aktiv", text: "Bitte versuchen Sie es später noch einmal." },
    deleted: { title: "Dieser Link wurde gelöscht", text: "Er ist nicht mehr verfügbar." },
    disabled: { title: "Dieser Link ist deaktiviert", text: "Der Inhaber hat ihn ausgeschaltet." },
    blocked: { title: "Dieser Link ist gesperrt", text: "Er wurde vom Betreiber dieses Dienstes gesperrt." },
    notFound: {
      title: "Link nicht gefunden",
      text: "Möglicherweise ist die Adresse falsch geschrieben oder unvollständig.",
    },
    unverified: {
      title: "Diese Domain ist noch nicht eingerichtet",
      text: "Der Inhaber muss sie noch bestätigen.",
    },
    unavailable: {
      title: "Dieser Link ist vorübergehend nicht erreichbar",
      text: "Bitte versuchen Sie es gleich noch einmal.",
    },
  },
  passwordErrors: {
    wrong: "Falsches Passwort.",
    tooLong: "Dieses Passwort ist zu lang.",
    tooMany: "Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.",
    busy: "Ihr Passwort konnte nicht geprüft werden. Versuchen Sie es gleich noch einmal.",
  },
  error: "Fehler",
  password: "Passwort",
  proceed: "Weiter",
  frameFails: "Seite lädt nicht? Direkt öffnen",
};

const french: PageTexts = {
  language: "fr",
  pages: {
    password: { title: "Mot de passe requis", text: "Saisissez le mot de passe pour continuer." },
    expired: { title: "Ce lien a expiré", text: "Il n’est plus disponible." },
    usedUp: { title: "Limite de clics atteinte", text: "Ce lien n’est plus disponible." },
    notStarted: { title: "Ce lien n’est pas encore actif", text: "Veuillez revenir plus tard." },
    deleted: { title: "Ce lien a été supprimé", text: "Il n’est plus disponible." },
    disabled: { title: "Ce lien est désactivé", text: "Son propriétaire l’a désactivé." },
    blocked: { title: "Ce lien est bloqué", text: "Il a été bloqué par l’exploitant de ce service." },
    notFound: {
      title: "Lien introuvable",
      text: "L’adresse est peut-être mal saisie ou incomplète.",
    },
    unverified: {
      title: "Ce domaine n’est pas encore configuré",
      text: "Son propriétaire doit encore le valider.",
    },
    unavailable: { title: "Ce lien est temporairement indisponible", text: "Veuillez réessayer dans un instant." },
  },
  passwordErrors: {
    wrong: "Mot de passe incorrect.",
    tooLong: "Ce mot de passe est trop long.",
    tooMany: "Trop de tentatives. Réessayez dans une minute.",
    busy: "Votre mot de passe n’a pas pu être vérifié. Réessayez dans un instant.",
  },
  error: "Erreur",
  password: "Mot de passe",
  proceed: "Continuer",
  frameFails: "La page ne se charge pas\u00a0? L’ouvrir directement",
};

const spanish: PageTexts = {
  language: "es",
  pages: {
    password: { title: "Se requiere contraseña", text: "Escriba la contraseña para continuar." },
    expired: { title: "Este enlace ha caducado", text: "Ya no está disponible." },
    usedUp: { title: "Límite de clics alcanzado", text: "Este enlace ya no está disponible." },
    notStarted: { title: "Este enlace aún no está activo", text: "Vuelva más tarde." },
    deleted: { title: "Este enlace se ha eliminado", text: "Ya no está disponible." },
    disabled: { title: "Este enlace está desactivado", text: "Su propietario lo ha desactivado." },
    blocked: { title: "Este enlace está bloqueado", text: "Lo ha bloqueado el operador de este servicio." },
    notFound: {
      title: "Enlace no encontrado",
      text: "Es posible que la dirección esté mal escrita o incompleta.",
    },
    unverified: {
      title: "Este dominio aún no está configurado",
      text: "Su propietario todavía tiene que verificarlo.",
    },
    unavailable: { title: "Este enlace no está disponible por el momento", text: "Inténtelo de nuevo en un momento." },
  },
  passwordErrors: {
    wrong: "Contraseña incorrecta.",
    tooLong: "Esa contraseña es demasiado larga.",
    tooMany: "Demasiados intentos. Inténtelo de nuevo en un minuto.",
    busy: "No se ha podido comprobar su contraseña. Inténtelo de nuevo en un momento.",
  },
  error: "Error",
  password: "Contraseña",
  proceed: "Continuar",
  frameFails: "¿No se carga la página? Ábrala directamente",
};

const chinese: PageTexts = {
  language: "zh-Hans",
  pages: {
    password: { title: "需要密码", text: "请输入密码以继续。" },
    expired: { title: "此链接已过期", text: "该链接已不可用。" },
    usedUp: { title: "已达到点击上限", text: "此链接已不可用。" },
    notStarted: { title: "此链接尚未生效", text: "请稍后再访问。" },
    deleted: { title: "此链接已被删除", text: "该链接已不可用。" },
    disabled: { title: "此链接已停用", text: "链接所有者已将其停用。" },
    blocked: { title: "此链接已被封禁", text: "本服务的运营者封禁了此链接。" },
    notFound: { title: "未找到链接", text: "网址可能有误或不完整。" },
    unverified: { title: "此域名尚未设置完成", text: "域名所有者尚未完成验证。" },
    unavailable: { title: "此链接暂时不可用", text: "请稍后重试。" },
  },
  passwordErrors: {
    wrong: "密码不正确。",
    tooLong: "密码太长。",
    tooMany: "尝试次数过多，请一分钟后再试。",
    busy: "暂时无法验证您的密码，请稍后再试。",
  },
  error: "错误",
  password: "密码",
  proceed: "继续",
  frameFails: "页面无法加载？直接打开",
};

/** TABLE of languages by primary tag. */
const languages = new Map<string, PageTexts>([
  ["en", english],
  ["de", german],
  ["fr", french],
  ["es", spanish],
  ["zh", chinese],
]);

/** The texts in the best language that an Accept-Language header asks for and we have; English where there is none. */
export function textsFor(acceptLanguage: string | undefined): PageTexts {
  if (acceptLanguage === undefined) return english;
  for (const tag of languagesOf(acceptLanguage)) {
    const texts = languages.get(primaryTag(tag));
    if (texts !== undefined) return texts;
  }
  return english;
}

function primaryTag(tag: string): string {
  const hyphen = tag.indexOf("-");
  return hyphen === -1 ? tag : tag.slice(0, hyphen);
}
