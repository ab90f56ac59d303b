const daysPerWeek = 7;

/** The weekday on which weeks begin in a locale such as "en-GB": 0 for Sunday to 6 for Saturday. */
export function firstWeekdayOf(tag: string): number {
  const locale: Weekly = new Intl.Locale(tag);
  const first = locale.getWeekInfo?.().firstDay ?? locale.weekInfo?.firstDay ?? usualFirstDay(tag);
  return first % daysPerWeek;
}

/** Browsers have the one or the other; Firefox has neither. */
type Weekly = Intl.Locale & { getWeekInfo?(): { firstDay: number }; weekInfo?: { firstDay: number } };

/** Monday, except for US English and English without a region. */
function usualFirstDay(tag: string): number {
  return /^en(-US)?$/i.test(tag) ? daysPerWeek : 1;
}
