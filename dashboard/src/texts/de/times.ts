import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  placeholder: (example) => `z. B. ${example}`,
  formHint: (example) => `Etwa ${example}.`,
  unreadable: {
    day: (example) => `Das ist kein Datum. Schreiben Sie es wie ${example}, oder wählen Sie es im Kalender.`,
    instant: (example) =>
      `Das ist kein Datum mit Uhrzeit. Schreiben Sie es wie ${example}, oder wählen Sie es im Kalender.`,
    dayOrInstant: (example) =>
      `Das ist kein Datum. Schreiben Sie es wie ${example}, bei Bedarf mit Uhrzeit, oder wählen Sie es im Kalender.`,
  },
  missing: "Geben Sie ein Datum an.",
  tooEarly: (day) => `Darf nicht vor ${day} liegen.`,
  calendar: "Kalender",
  openCalendar: "Im Kalender wählen",
  previousYear: "Voriges Jahr",
  previousMonth: "Voriger Monat",
  nextMonth: "Nächster Monat",
  nextYear: "Nächstes Jahr",
  today: "Heute",
  clock: "Uhrzeit",
  noClock: (example) => `Das ist keine Uhrzeit. Schreiben Sie sie wie ${example}.`,
  wholeDay: { start: "Tagesbeginn", end: "Tagesende" },
};
