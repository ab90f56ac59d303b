/** Fields for days and moments, and their calendar. */
export const times = {
  forms: { day: "YYYY-MM-DD", moment: "YYYY-MM-DD HH:MM" },
  formHint: {
    day: "Year, month and day, such as 2026-11-20.",
    moment: "Year, month, day and time, such as 2026-11-20 09:30.",
  },
  unreadable: {
    day: "This is no date. Write it as 2026-11-20, or choose it in the calendar.",
    moment: "This is no date with a time. Write it as 2026-11-20 09:30, or choose it in the calendar.",
  },
  missing: "Fill in a date.",
  tooEarly: (day: string) => `Must not lie before ${day}.`,
  calendar: "Calendar",
  openCalendar: "Choose in a calendar",
  previousYear: "Previous year",
  previousMonth: "Previous month",
  nextMonth: "Next month",
  nextYear: "Next year",
  today: "Today",
  clock: "Time",
  noClock: "This is no time of day. Write it as 09:30.",
};
