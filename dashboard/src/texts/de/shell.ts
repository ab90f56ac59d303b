import type { Texts } from "../en/en.ts";

export const shell: Texts["shell"] = {
  skip: "Zum Inhalt",
  navigation: "Hauptnavigation",
  links: "Links",
  analytics: "Auswertung",
  domains: "Domains",
  settings: "Einstellungen",
  connection: {
    offline: "Sie sind offline. Änderungen werden gesendet, sobald Sie wieder online sind.",
    waiting: (count, shown) =>
      count === 1
        ? "Sie sind offline. 1 Änderung wird gesendet, sobald Sie wieder online sind."
        : `Sie sind offline. ${shown} Änderungen werden gesendet, sobald Sie wieder online sind.`,
    unreachable: "Waypost ist nicht erreichbar. Neuer Versuch …",
  },
  sidebar: {
    folders: "Ordner",
    allFolders: (count) => `Alle ${count} Ordner`,
    newFolder: "Neuer Ordner",
    manageFolders: "Ordner verwalten",
  },
  apiReference: "API-Referenz",
  account: "Ihr Konto",
  signOut: "Abmelden",
  theme: "Design",
  themes: { system: "System", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  workspaces: "Arbeitsbereiche",
  newWorkspace: "Neuer Arbeitsbereich",
  example: {
    explore: "Beispiel ansehen",
    isExample: "Beispieldaten: erfundene Links und Klicks eines Jahres.",
    filling: "Links und Klicks eines Jahres werden angelegt …",
    remove: "Beispiel entfernen",
  },
  switchWorkspace: "Arbeitsbereich wechseln",
  roles: { owner: "Inhaber", member: "Mitglied", viewer: "Betrachter" },
  notFound: "Seite nicht gefunden",
  notFoundHint: "Vielleicht enthält die Adresse einen Tippfehler, oder die Seite existiert nicht mehr.",
  toStart: "Zu den Links",
  clickLosses: {
    stored: (since, _clicks) =>
      `Gespeicherte Klicks fehlen (festgestellt am ${since}): Die Datei des Klickspeichers fehlt oder ist eine ältere Kopie.`,
    dropped: (since, clicks) =>
      `Seit ${since} gingen Klicks verloren, weil der Datenträger voll oder defekt war: ${clicks}.`,
    damaged: (since, clicks) => `Seit ${since} gingen durch beschädigte Dateien Klicks verloren, höchstens: ${clicks}.`,
  },
  acceptClickLosses: (isAdministrator) =>
    isAdministrator
      ? "Sie fehlen in der Auswertung. Spielen Sie eine Sicherung ein oder akzeptieren Sie den Verlust mit diesem Befehl: waypost clicks accept-loss"
      : "Sie fehlen in der Auswertung. Der Betreiber kann eine Sicherung einspielen oder waypost clicks accept-loss ausführen.",
  blocked: {
    mark: "Vom Betreiber gesperrt",
    notVerified: "Domain nicht bestätigt",
    causes: {
      link: "Der Betreiber hat diesen Link gesperrt. Besucher sehen einen Hinweis.",
      domain: "Der Betreiber hat diese Domain gesperrt. Besucher sehen einen Hinweis.",
      workspace: "Der Betreiber hat diesen Arbeitsbereich gesperrt. Besucher sehen einen Hinweis.",
      user: "Der Betreiber hat die Person gesperrt, die diesen Link erstellt hat. Besucher sehen einen Hinweis.",
      host: "Der Betreiber hat den Host eines Ziels gesperrt. Besucher sehen einen Hinweis.",
      pending: "Besucher erreichen das Ziel erst, wenn die Domain bestätigt ist.",
      failing: "Der TXT-Eintrag der Domain fehlt. Der Link funktioniert bald nicht mehr.",
    },
    workspaceTitle: "Der Betreiber hat diesen Arbeitsbereich gesperrt",
    hint: "Besucher sehen einen Hinweis. Es wurde nichts gelöscht.",
    askForReason: "Fragen Sie den Betreiber nach dem Grund.",
    openBlocks: "Grund in der Verwaltung ansehen",
    accountTitle: "Der Betreiber hat Ihr Konto gesperrt",
  },
  crashed: "Diese Seite konnte nicht angezeigt werden",
  crashedHint:
    "Laden Sie die Seite neu. Wenn das nicht hilft, senden Sie den Text unten an den Betreiber dieses Dienstes.",
  reload: "Neu laden",
  unreachable: "Waypost ist nicht erreichbar",
  unreachableHint: "Die Seite wird neu geladen, sobald der Server wieder antwortet.",
  noWorkspace: "Noch kein Arbeitsbereich",
  noWorkspaceHint: "Erstellen Sie einen oder bitten Sie um eine Einladung.",
  signIn: "Anmelden",
  signInTitle: "Bei Waypost anmelden",
  email: "E-Mail",
  password: "Passwort",
  forgot: "Passwort vergessen?",
  forgotTitle: "Neues Passwort festlegen",
  forgotHint: "Wir senden Ihnen per E-Mail einen Link, mit dem Sie ein neues Passwort festlegen können.",
  sendLink: "Link senden",
  linkSent: (email) => `Wenn es hier ein Konto für ${email} gibt, ist ein Link unterwegs. Er gilt nur einmal.`,
  or: "oder",
  continueWith: (provider: string) => `Weiter mit ${provider}`,
  /** After a failed sign-in with the identity provider, whose name they get. */
  signInProblems: {
    disabled: () => "Der Betreiber dieses Dienstes hat dieses Konto deaktiviert.",
    expired: () =>
      "Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Tab begonnen. Versuchen Sie es noch einmal.",
    noAccount: (p: string) =>
      `Sie haben hier kein Konto, und über ${p} wird keines erstellt. Wenden Sie sich an den Betreiber dieses Dienstes.`,
    otherIdentity: (p: string) =>
      `Das Konto mit Ihrer E-Mail-Adresse gehört bei ${p} einer anderen Person. Wenden Sie sich an den Betreiber dieses Dienstes.`,
    refused: (p: string) => `${p} hat Sie nicht angemeldet. Versuchen Sie es noch einmal.`,
    tooMany: () => "Zu viele Versuche. Versuchen Sie es später noch einmal.",
    unreachable: (p, hasPasswords) =>
      `${p} ist nicht erreichbar. Versuchen Sie es später noch einmal${hasPasswords ? " oder melden Sie sich anders an" : ""}.`,
    unverifiedAccount: (_, hasPasswords) =>
      `Es gibt ein Konto mit Ihrer E-Mail-Adresse, aber die Adresse ist noch nicht bestätigt. ${hasPasswords ? "Melden Sie sich mit Ihrem Passwort an und bestätigen Sie sie, oder legen Sie ein neues Passwort fest." : "Wenden Sie sich an den Betreiber dieses Dienstes."}`,
    unverifiedEmail: (p: string) =>
      `${p} hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort und versuchen Sie es dann noch einmal.`,
  },
  mailLink: "Link per E-Mail senden",
  linkTitle: "Mit einem Link anmelden",
  linkHint: "Wir senden Ihnen einen Link, mit dem Sie sich ohne Passwort anmelden.",
  signInLinkSent: (email, minutes) =>
    `Wenn es hier ein Konto für ${email} gibt, ist ein Link unterwegs. Er gilt nur einmal und ${minutes} Minuten lang.`,
  backToSignIn: "Zurück zur Anmeldung",
  noAccount: "Noch kein Konto?",
  createAccount: "Konto erstellen",
  askOwner: "Noch kein Konto? Bitten Sie den Inhaber eines Arbeitsbereichs um eine Einladung.",
  askOperator: "Noch kein Konto? Wenden Sie sich an den Betreiber dieses Dienstes.",
  notSetUp: {
    title: "Waypost einrichten",
    about:
      "Hier hat noch niemand ein Konto. Öffnen Sie den Einrichtungslink, den der Server im Terminal oder Protokoll ausgegeben hat.",
    reload: "Fertig eingerichtet",
    lost: "Link verloren oder älter als eine Woche? Legen Sie auf dem Server ein Konto an:",
    command: "Befehl, der ein Konto anlegt",
  },
  signUpWithProvider: (provider) => `Noch kein Konto? Melden Sie sich mit ${provider} an, um eines zu erstellen.`,
  onlyProvider: (provider) => `Bei diesem Dienst melden Sie sich nur mit ${provider} an.`,
  noPasswords: "Dieser Dienst verwendet keine Passwörter",
  palette: {
    search: "Suchen",
    jump: "Suchen …",
    title: "Suche und Befehle",
    searchHint: "Links, Seiten und Aktionen suchen",
    nothing: (text) => `Keine Ergebnisse für „${text}“`,
    recentLinks: "Letzte Links",
    allResults: (text) => `Alle Links zu „${text}“ anzeigen`,
    failed: "Die Suche nach Links ist fehlgeschlagen. Erneut versuchen",
    nothingHint:
      "Suchen Sie nach einem Teil eines Links, Titels, Tags oder Ordners oder nach dem Namen einer Ansicht oder Seite.",
    copy: "Kurzlink kopieren",
    foundLinks: "Links",
    searching: "Links werden gesucht …",
    actions: "Aktionen",
    pages: "Gehe zu",
    createLink: "Link erstellen",
    createLinkTo: (url: string) => `Link zu ${url} erstellen`,
    reasons: { tag: "Tag", folder: "Ordner", comment: "Kommentar" },
    addDomain: "Domain hinzufügen",
    invite: "Jemanden einladen",
    newKey: "API-Schlüssel erstellen",
    themeOf: (theme) => `Design: ${theme}`,
    languageOf: (language) => `Sprache: ${language}`,
    toWorkspace: (name) => `Zu ${name} wechseln`,
    move: "navigieren",
    choose: "auswählen",
  },
  keyboard: {
    title: "Tastenkürzel",
    everywhere: "Überall",
    palette: "Suche und Befehle",
    help: "Diese Hilfe anzeigen",
    close: "Dialog oder Menü schließen",
  },
};
