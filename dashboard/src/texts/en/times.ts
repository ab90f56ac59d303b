/** Date fields and their calendar. */
export const times = {
  placeholder: (example: string) => `e.g. ${example}`,
  formHint: (example: string) => `Such as ${example}.`,
  unreadable: {
    day: (example: string) => `This is not a date. Write it as ${example}, or choose it in the calendar.`,
    instant: (example: string) =>
      `This is not a date with a time. Write it as ${example}, or choose it in the calendar.`,
    dayOrInstant: (example: string) =>
      `This is not a date. Write it as ${example}, with a time if you like, or choose it in the calendar.`,
  },
  missing: "Fill in a date.",
  tooEarly: (day: string) => `Must not be before ${day}.`,
  calendar: "Calendar",
  openCalendar: "Choose in a calendar",
  previousYear: "Previous year",
  previousMonth: "Previous month",
  nextMonth: "Next month",
  nextYear: "Next year",
  today: "Today",
  clock: "Time",
  noClock: (example: string) => `This is not a time of day. Write it as ${example}.`,
  /** What a day without a time means. */
  wholeDay: { start: "start of day", end: "end of day" },
};
