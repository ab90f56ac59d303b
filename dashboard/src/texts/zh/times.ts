import type { Texts } from "../en/en.ts";

export const times: Texts["times"] = {
  forms: { day: "YYYY-MM-DD", moment: "YYYY-MM-DD HH:MM" },
  formHint: { day: "年、月、日，例如 2026-11-20。", moment: "年、月、日和时间，例如 2026-11-20 09:30。" },
  unreadable: {
    day: "这不是日期。请按 2026-11-20 的格式填写，或在日历中选择。",
    moment: "这不是带时间的日期。请按 2026-11-20 09:30 的格式填写，或在日历中选择。",
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
  noClock: "这不是时间。请按 09:30 的格式填写。",
};
