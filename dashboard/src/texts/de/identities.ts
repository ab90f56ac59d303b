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
    `Andere Browser, in denen Sie sich mit ${provider} angemeldet haben, werden abgemeldet. Wenn Sie sich wieder damit anmelden, wird die Verbindung wiederhergestellt.`,
  disconnected: (provider) => `${provider} ist getrennt.`,
  keyRefused: "Abgelehnt",
  keyRefusedHint:
    "Dieser Arbeitsbereich verlangt die Zwei-Faktor-Authentifizierung, die für das Konto dieses Schlüssels nicht eingeschaltet ist. Der Schlüssel gilt wieder, sobald in den Sicherheitseinstellungen des Kontos die Authentifizierung eingeschaltet oder ein Passkey hinzugefügt wird, oder nach einer Anmeldung über einen Anbieter, der einen zweiten Faktor verlangt.",
};
