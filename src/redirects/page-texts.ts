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
  goOn: string;
  /** The link on a framed page, for browsers that leave the frame empty. */
  frameFails: string;
};

const english: PageTexts = {
  language: "en",
  pages: {
    password: { title: "This link is protected", text: "Enter the password to go on." },
    expired: { title: "This link has expired", text: "It no longer leads anywhere." },
    usedUp: { title: "This link is used up", text: "It has been opened as often as it could be." },
    notStarted: { title: "This link is not open yet", text: "Come back later." },
    deleted: { title: "This link was deleted", text: "It no longer leads anywhere." },
    disabled: { title: "This link is switched off", text: "It no longer leads anywhere." },
    blocked: { title: "This link is blocked", text: "The operator of this service has blocked it." },
    notFound: {
      title: "This link does not exist",
      text: "Check that the address is written in full and without slips.",
    },
    unverified: { title: "This domain is not set up yet", text: "Its owner has not verified it yet." },
    unavailable: { title: "This link cannot be opened now", text: "Try again in a moment." },
  },
  passwordErrors: {
    wrong: "That password does not fit.",
    tooLong: "That password is too long.",
    tooMany: "Too many attempts. Try again in a minute.",
    busy: "Your password could not be checked just now. Try again in a moment.",
  },
  error: "Error",
  password: "Password",
  goOn: "Go on",
  frameFails: "Nothing shown? Open the page",
};

const german: PageTexts = {
  language: "de",
  pages: {
    password: { title: "Dieser Link ist geschützt", text: "Geben Sie das Passwort ein, um weiterzukommen." },
    expired: { title: "Dieser Link ist abgelaufen", text: "Er führt nirgendwohin mehr." },
    usedUp: { title: "Dieser Link ist aufgebraucht", text: "Er wurde so oft geöffnet, wie es vorgesehen war." },
    notStarted: { title: "Dieser Link ist noch nicht offen", text: "Kommen Sie später wieder." },
    deleted: { title: "Dieser Link wurde gelöscht", text: "Er führt nirgendwohin mehr." },
    disabled: { title: "Dieser Link ist abgeschaltet", text: "Er führt nirgendwohin mehr." },
    blocked: { title: "Dieser Link ist gesperrt", text: "Der Betreiber dieses Dienstes hat ihn gesperrt." },
    notFound: {
      title: "Diesen Link gibt es nicht",
      text: "Prüfen Sie, ob die Adresse vollständig und ohne Tippfehler ist.",
    },
    unverified: {
      title: "Diese Domain ist noch nicht eingerichtet",
      text: "Es ist noch nachzuweisen, wem sie gehört.",
    },
    unavailable: { title: "Dieser Link lässt sich gerade nicht öffnen", text: "Versuchen Sie es gleich noch einmal." },
  },
  passwordErrors: {
    wrong: "Dieses Passwort passt nicht.",
    tooLong: "Dieses Passwort ist zu lang.",
    tooMany: "Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.",
    busy: "Ihr Passwort ließ sich gerade nicht prüfen. Versuchen Sie es gleich noch einmal.",
  },
  error: "Fehler",
  password: "Passwort",
  goOn: "Weiter",
  frameFails: "Nichts zu sehen? Seite öffnen",
};

const french: PageTexts = {
  language: "fr",
  pages: {
    password: { title: "Ce lien est protégé", text: "Saisissez le mot de passe pour continuer." },
    expired: { title: "Ce lien a expiré", text: "Il ne mène plus nulle part." },
    usedUp: { title: "Ce lien est épuisé", text: "Il a été ouvert autant de fois que prévu." },
    notStarted: { title: "Ce lien n’est pas encore ouvert", text: "Revenez plus tard." },
    deleted: { title: "Ce lien a été supprimé", text: "Il ne mène plus nulle part." },
    disabled: { title: "Ce lien est désactivé", text: "Il ne mène plus nulle part." },
    blocked: { title: "Ce lien est bloqué", text: "L’exploitant de ce service l’a bloqué." },
    notFound: {
      title: "Ce lien n’existe pas",
      text: "Vérifiez que l’adresse est complète et sans faute de frappe.",
    },
    unverified: {
      title: "Ce domaine n’est pas encore configuré",
      text: "Son propriétaire doit encore prouver qu’il lui appartient.",
    },
    unavailable: { title: "Ce lien ne peut pas être ouvert pour le moment", text: "Réessayez dans un instant." },
  },
  passwordErrors: {
    wrong: "Ce mot de passe ne convient pas.",
    tooLong: "Ce mot de passe est trop long.",
    tooMany: "Trop de tentatives. Réessayez dans une minute.",
    busy: "Votre mot de passe n’a pas pu être vérifié. Réessayez dans un instant.",
  },
  error: "Erreur",
  password: "Mot de passe",
  goOn: "Continuer",
  frameFails: "Rien ne s’affiche\u00a0? Ouvrir la page",
};

const spanish: PageTexts = {
  language: "es",
  pages: {
    password: { title: "Este enlace está protegido", text: "Escriba la contraseña para continuar." },
    expired: { title: "Este enlace ha caducado", text: "Ya no lleva a ninguna parte." },
    usedUp: { title: "Este enlace está agotado", text: "Se ha abierto tantas veces como estaba previsto." },
    notStarted: { title: "Este enlace aún no está abierto", text: "Vuelva más tarde." },
    deleted: { title: "Este enlace se ha eliminado", text: "Ya no lleva a ninguna parte." },
    disabled: { title: "Este enlace está desactivado", text: "Ya no lleva a ninguna parte." },
    blocked: { title: "Este enlace está bloqueado", text: "El operador de este servicio lo ha bloqueado." },
    notFound: {
      title: "Este enlace no existe",
      text: "Compruebe que la dirección esté completa y sin erratas.",
    },
    unverified: {
      title: "Este dominio aún no está configurado",
      text: "Su propietario todavía tiene que demostrar que es suyo.",
    },
    unavailable: { title: "Este enlace no se puede abrir ahora", text: "Inténtelo de nuevo en un momento." },
  },
  passwordErrors: {
    wrong: "Esa contraseña no es correcta.",
    tooLong: "Esa contraseña es demasiado larga.",
    tooMany: "Demasiados intentos. Inténtelo de nuevo en un minuto.",
    busy: "No se ha podido comprobar su contraseña. Inténtelo de nuevo en un momento.",
  },
  error: "Error",
  password: "Contraseña",
  goOn: "Continuar",
  frameFails: "¿No se ve nada? Abrir la página",
};

const chinese: PageTexts = {
  language: "zh-Hans",
  pages: {
    password: { title: "此链接受密码保护", text: "请输入密码以继续。" },
    expired: { title: "此链接已过期", text: "它已不再指向任何页面。" },
    usedUp: { title: "此链接的使用次数已用完", text: "它的打开次数已达到上限。" },
    notStarted: { title: "此链接尚未开放", text: "请稍后再来。" },
    deleted: { title: "此链接已被删除", text: "它已不再指向任何页面。" },
    disabled: { title: "此链接已停用", text: "它已不再指向任何页面。" },
    blocked: { title: "此链接已被封禁", text: "本服务的运营者已封禁此链接。" },
    notFound: { title: "此链接不存在", text: "请检查网址是否完整无误。" },
    unverified: { title: "此域名尚未设置完成", text: "域名所有者还需证明其所有权。" },
    unavailable: { title: "此链接暂时无法打开", text: "请稍后重试。" },
  },
  passwordErrors: {
    wrong: "密码不正确。",
    tooLong: "密码太长。",
    tooMany: "尝试次数过多，请一分钟后再试。",
    busy: "暂时无法验证您的密码，请稍后再试。",
  },
  error: "错误",
  password: "密码",
  goOn: "继续",
  frameFails: "无法显示？打开网页",
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
