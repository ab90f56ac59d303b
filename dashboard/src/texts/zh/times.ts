import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  placeholder: (example) => `如 ${example}`,
  formHint: (example) => `例如 ${example}。`,
  unreadable: {
    day: (example) => `这不是日期。请按 ${example} 的格式填写，或在日历中选择。`,
    instant: (example) => `这不是带时间的日期。请按 ${example} 的格式填写，或在日历中选择。`,
    dayOrInstant: (example) => `这不是日期。请写成 ${example} 的形式（可加时间），或在日历中选择。`,
  },
  missing: "请填写日期。",
  tooEarly: (day) => `不能早于 ${day}。`,
  calendar: "日历",
  openCalendar: "在日历中选择",
  previousYear: "上一年",
  previousMonth: "上个月",
  nextMonth: "下个月",
  nextYear: "下一年",
  today: "今天",
  clock: "时间",
  noClock: (example) => `这不是时间。请按 ${example} 的格式填写。`,
  wholeDay: { start: "当天开始", end: "当天结束" },
};
