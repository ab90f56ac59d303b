import type { Texts } from "../en/en.ts";

export const shell: Texts["shell"] = {
  skip: "Zum Inhalt",
  navigation: "Hauptnavigation",
  links: "Links",
  analytics: "Auswertung",
  domains: "Domains",
  settings: "Einstellungen",
  apiReference: "API-Referenz",
  account: "Ihr Konto",
  signOut: "Abmelden",
  theme: "Darstellung",
  themes: { system: "System", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  workspaces: "Arbeitsbereiche",
  newWorkspace: "Neuer Arbeitsbereich",
  switchWorkspace: "Arbeitsbereich wechseln",
  roles: { owner: "Inhaber", member: "Mitglied", viewer: "Betrachter" },
  notFound: "Diese Seite gibt es nicht",
  notFoundHint: "Vielleicht ist die Adresse vertippt, oder was sie zeigte, ist nicht mehr da.",
  toStart: "Zu Ihren Links",
  clickLosses: {
    stored: (since, _clicks) =>
      `Gespeicherte Klicks fehlen (bemerkt am ${since}): Die Datei des Klickspeichers ist weg oder eine ältere Kopie.`,
    dropped: (since, clicks) =>
      `Seit ${since} verlorene Klicks, weil der Datenträger voll war oder versagte: ${clicks}.`,
    damaged: (since, clicks) => `Seit ${since} verlorene Klicks in beschädigten Dateien, höchstens: ${clicks}.`,
  },
  acceptClickLosses:
    "In der Auswertung fehlen sie. Der Betreiber kann eine Sicherung einspielen oder waypost clicks accept-loss ausführen.",
  blocked: {
    mark: "Vom Betreiber gesperrt",
    notVerified: "Domain nicht bestätigt",
    causes: {
      link: "Der Betreiber dieses Dienstes hat diesen Link gesperrt. Besucher sehen eine Seite, die das sagt. Den Grund kennt der Betreiber.",
      domain:
        "Der Betreiber dieses Dienstes hat die Domain dieses Links gesperrt. Besucher sehen eine Seite, die das sagt. Den Grund kennt der Betreiber.",
      workspace:
        "Der Betreiber dieses Dienstes hat diesen Arbeitsbereich gesperrt. Besucher sehen eine Seite, die das sagt.",
      user: "Der Betreiber dieses Dienstes hat das Konto gesperrt, das diesen Link erstellt hat. Besucher sehen eine Seite, die das sagt.",
      host: "Der Betreiber dieses Dienstes hat einen Host gesperrt, zu dem dieser Link führt. Besucher, die dorthin kämen, sehen eine Seite, die das sagt.",
      pending:
        "Die Domain dieses Links ist nicht bestätigt, deshalb erreichen Besucher das Ziel nicht. Bestätigen Sie sie unter „Domains“.",
      failing:
        "Der TXT-Eintrag der Domain dieses Links fehlt, deshalb wird der Link bald nicht mehr gehen. Die Einträge stehen unter „Domains“.",
    },
    domain:
      "Besucher ihrer Links sehen eine Seite, die das sagt. Sie kann weder umbenannt noch gelöscht werden. Den Grund kennt der Betreiber.",
    workspaceTitle: "Der Betreiber hat diesen Arbeitsbereich gesperrt",
    workspaceHint:
      "Besucher der Links sehen eine Seite, die das sagt, und hier kann nichts gezeigt oder geändert werden. Gelöscht wurde nichts. Den Grund kennt der Betreiber.",
    accountTitle: "Der Betreiber hat Ihr Konto gesperrt",
    accountHint:
      "Besucher der Links, die Sie erstellt haben, sehen eine Seite, die das sagt. Gelöscht wurde nichts. Den Grund kennt der Betreiber.",
  },
  crashed: "Diese Seite konnte nicht gezeigt werden",
  crashedHint:
    "Vielleicht hilft es, sie neu zu laden. Wenn nicht, sagen Sie dem Betreiber dieses Waypost, was unten steht.",
  reload: "Neu laden",
  away: "Waypost ist nicht erreichbar",
  awayHint: "Die Seite erscheint von selbst, sobald der Server wieder antwortet.",
  noWorkspace: "Sie sind in keinem Arbeitsbereich",
  noWorkspaceHint: "Legen Sie einen an, oder bitten Sie jemanden um eine Einladung.",
  signIn: "Anmelden",
  signInTitle: "Bei Waypost anmelden",
  email: "E-Mail",
  password: "Passwort",
  forgot: "Passwort vergessen?",
  forgotTitle: "Neues Passwort setzen",
  forgotHint: "Sie bekommen einen Link per E-Mail, mit dem Sie ein neues setzen.",
  sendLink: "Link zusenden",
  linkSent: (email) => `Wenn ${email} hier ein Konto hat, ist ein Link unterwegs. Er gilt einmal.`,
  backToSignIn: "Zurück zur Anmeldung",
  palette: {
    search: "Suchen",
    jump: "Alles finden",
    title: "Suche und Befehle",
    searchHint: "Links, Seiten, Befehle finden",
    notLoaded: "Die Suche wurde nicht geladen. Prüfen Sie Ihre Verbindung, und laden Sie die Seite dann neu.",
    nothing: (text) => `Nichts gefunden für „${text}“`,
    foundLinks: "Links",
    searching: "Links werden gesucht …",
    actions: "Aktionen",
    pages: "Gehen zu",
    createLink: "Link erstellen",
    addDomain: "Domain hinzufügen",
    invite: "Jemanden einladen",
    newKey: "Neuer API-Schlüssel",
    themeOf: (theme) => `Darstellung: ${theme}`,
    languageOf: (language) => `Sprache: ${language}`,
    toWorkspace: (name) => `Zu ${name} wechseln`,
    move: "bewegen",
    choose: "wählen",
  },
  keyboard: {
    title: "Tastenkürzel",
    everywhere: "Überall",
    palette: "Suchen, springen, Befehle",
    help: "Diese Hilfe",
    close: "Schließen, was offen ist",
  },
};
