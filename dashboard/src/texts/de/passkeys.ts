import type { Texts } from "../en/en.ts";

export const passkeys: Texts["passkeys"] = {
  title: "Passkeys",
  about: "Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an, ohne Passwort und Code.",
  signIn: "Mit einem Passkey anmelden",
  none: "Sie haben noch keine Passkeys.",
  add: "Passkey hinzufügen",
  addTitle: "Passkey hinzufügen",
  addText:
    "Ihr Browser fragt dann, wo er gespeichert werden soll: auf diesem Gerät, in Ihrem Passwortmanager, auf Ihrem Smartphone oder auf einem Sicherheitsschlüssel.",
  name: "Name",
  nameHint: "Unterscheidet Ihre Passkeys.",
  next: "Weiter",
  addedDone: (name) => `Der Passkey „${name}“ wurde hinzugefügt.`,
  added: (day) => `Hinzugefügt am ${day}`,
  used: (when) => `Zuletzt verwendet: ${when}`,
  neverUsed: "Noch nicht verwendet",
  otherHost: (host) => `Gilt nur für ${host}`,
  actionsFor: (name) => `Aktionen für ${name}`,
  rename: "Umbenennen",
  renameTitle: "Passkey umbenennen",
  remove: "Entfernen",
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeText:
    "Sie können sich nicht mehr damit anmelden, und andere Browser, in denen Sie sich damit angemeldet haben, werden abgemeldet. Löschen Sie ihn auch auf Ihrem Gerät oder in Ihrem Passwortmanager.",
  removed: (name) => `Der Passkey „${name}“ wurde entfernt.`,
  hindrances: {
    needsHttps: () =>
      "Passkeys brauchen HTTPS, das dieser Dienst noch nicht verwendet. Sein Betreiber kann WAYPOST_URL auf eine URL mit https setzen.",
    needsHostName: () =>
      "Passkeys brauchen einen Hostnamen, und dieser Dienst hat eine IP-Adresse. Sein Betreiber kann WAYPOST_URL auf einen Hostnamen setzen.",
    off: () => "Bei diesem Dienst melden Sie sich nur über den Identitätsanbieter an, deshalb gibt es keine Passkeys.",
    otherUrl: (url) => `Passkeys funktionieren nur unter ${url}. Öffnen Sie das Dashboard dort.`,
    unsupported: () => "Dieser Browser unterstützt keine Passkeys.",
  },
  failures: {
    cancelled: "Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.",
    present: "Dieses Gerät oder dieser Passwortmanager hat schon einen Passkey Ihres Kontos.",
    failed: "Dieser Browser konnte keinen Passkey verwenden.",
  },
};
