import { useFormat, useTexts } from "../texts/texts.tsx";
import { useView } from "./view.tsx";

/** Returns a function that formats a count: "1 click", "1,234 visitors". */
export function useCountText(): (number: number) => string {
  const { analytics } = useTexts();
  const format = useFormat();
  const { metric } = useView();
  const written = metric === "clicks" ? analytics.countClicks : analytics.countVisitors;
  return (number) => written(number, format.number(number));
}
