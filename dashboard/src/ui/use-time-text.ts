import { useMemo } from "react";
import { type TimeText, timeTextOf } from "../base/time-text.ts";
import { useFormat } from "../texts/texts.tsx";

/** Reads and writes days and instants in fields, in the person's language and region. */
export function useTimeText(): TimeText {
  const { locale } = useFormat();
  return useMemo(() => timeTextOf(locale), [locale]);
}
