import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  forms: { day: "JJJJ-MM-TT", moment: "JJJJ-MM-TT HH:MM" },
  formHint: {
    day: "Jahr, Monat und Tag, etwa 2026-11-20.",
    moment: "Jahr, Monat, Tag und Uhrzeit, etwa 2026-11-20 09:30.",
  },
  unreadable: {
    day: "Das ist kein Datum. Schreiben Sie es wie 2026-11-20 oder 20.11.2026, oder wählen Sie es im Kalender.",
    moment:
      "Das ist kein Datum mit Uhrzeit. Schreiben Sie es wie 2026-11-20 09:30 oder 20.11.2026 09:30, oder wählen Sie es im Kalender.",
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
  noClock: "Das ist keine Uhrzeit. Schreiben Sie sie wie 09:30.",
};
