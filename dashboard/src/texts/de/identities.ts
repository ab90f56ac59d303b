import type { Texts } from "../en/en.ts";

export const identities: Texts["identities"] = {
  title: "Single Sign-on",
  about: "Der Anbieter, über den Sie sich bei diesem Dienst anmelden.",
  signInWith: (provider) => `Anmeldung mit ${provider}`,
  since: (when) => `Verbunden am ${when}`,
  former: "Nicht mehr verwendet",
  onlyWay: "Ihre einzige Anmeldemöglichkeit",
  none: (provider) =>
    `Nicht verbunden. Melden Sie sich mit ${provider} an, um die Verbindung herzustellen. Der Anbieter muss Sie unter derselben bestätigten E-Mail-Adresse kennen.`,
  disconnect: "Trennen",
  disconnectOne: (provider) => `${provider} trennen`,
  disconnectTitle: (provider) => `${provider} trennen?`,
  disconnectText: (provider) =>
    `Browser, in denen Sie sich mit ${provider} angemeldet haben, werden abgemeldet, außer diesem. Wenn Sie sich wieder damit anmelden, besteht die Verbindung wieder.`,
  disconnected: (provider) => `${provider} ist getrennt.`,
  keyRefused: "Abgelehnt",
  keyRefusedHint:
    "Dieser Arbeitsbereich verlangt die Zwei-Faktor-Authentifizierung, die für das Konto dieses Schlüssels nicht eingeschaltet ist. Der Schlüssel gilt wieder, sobald sie in dessen Sicherheitseinstellungen eingeschaltet oder ein Passkey hinzugefügt ist, oder ein Anbieter bei der Anmeldung nach einem zweiten Faktor fragt.",
};
