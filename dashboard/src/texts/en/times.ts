/** Date fields and their calendar. */
export const times = {
  placeholder: (example: string) => `e.g. ${example}`,
  formHint: (example: string) => `For example, ${example}.`,
  unreadable: {
    day: (example: string) => `Enter a date such as ${example}, or choose one in the calendar.`,
    instant: (example: string) => `Enter a date and time such as ${example}, or choose one in the calendar.`,
    dayOrInstant: (example: string) =>
      `Enter a date such as ${example}, with or without a time, or choose one in the calendar.`,
  },
  missing: "Enter a date.",
  tooEarly: (day: string) => `Must not be before ${day}.`,
  calendar: "Calendar",
  openCalendar: "Open calendar",
  previousYear: "Previous year",
  previousMonth: "Previous month",
  nextMonth: "Next month",
  nextYear: "Next year",
  today: "Today",
  clock: "Time",
  noClock: (example: string) => `Enter a time such as ${example}.`,
  /** What a day without a time means. */
  wholeDay: { start: "start of day", end: "end of day" },
};
