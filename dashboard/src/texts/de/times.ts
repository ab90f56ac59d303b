import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  placeholder: (example) => `z.\u00a0B. ${example}`,
  formHint: (example) => `Zum Beispiel ${example}.`,
  unreadable: {
    day: (example) => `Geben Sie ein Datum wie ${example} ein oder wählen Sie eines im Kalender.`,
    instant: (example) => `Geben Sie Datum und Uhrzeit wie ${example} ein oder wählen Sie sie im Kalender.`,
    dayOrInstant: (example) =>
      `Geben Sie ein Datum wie ${example} ein, mit oder ohne Uhrzeit, oder wählen Sie eines im Kalender.`,
  },
  missing: "Geben Sie ein Datum ein.",
  tooEarly: (day) => `Darf nicht vor ${day} liegen.`,
  calendar: "Kalender",
  openCalendar: "Kalender öffnen",
  previousYear: "Voriges Jahr",
  previousMonth: "Voriger Monat",
  nextMonth: "Nächster Monat",
  nextYear: "Nächstes Jahr",
  today: "Heute",
  clock: "Uhrzeit",
  noClock: (example) => `Geben Sie eine Uhrzeit wie ${example} ein.`,
  wholeDay: { start: "Tagesbeginn", end: "Tagesende" },
};
