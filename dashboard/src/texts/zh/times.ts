import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  placeholder: (example) => `如 ${example}`,
  formHint: (example) => `例如 ${example}。`,
  unreadable: {
    day: (example) => `请输入日期，如 ${example}，或在日历中选择。`,
    instant: (example) => `请输入日期和时间，如 ${example}，或在日历中选择。`,
    dayOrInstant: (example) => `请输入日期（可加时间），如 ${example}，或在日历中选择。`,
  },
  missing: "请输入日期。",
  tooEarly: (day) => `不能早于 ${day}。`,
  calendar: "日历",
  openCalendar: "打开日历",
  previousYear: "上一年",
  previousMonth: "上个月",
  nextMonth: "下个月",
  nextYear: "下一年",
  today: "今天",
  clock: "时间",
  noClock: (example) => `请输入时间，如 ${example}。`,
  wholeDay: { start: "当天开始", end: "当天结束" },
};
