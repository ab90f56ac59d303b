import { ListFilter } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { CountMenu } from "./count-menu.tsx";
import { FilterMenu } from "./filter-menu.tsx";
import { RangePicker } from "./range-picker.tsx";

/** What a report is asked: which clicks, of when, and what of them is counted. */
export function ReportControls() {
  const { analytics } = useTexts();
  return (
    <>
      <FilterMenu
        align="end"
        trigger={
          <Button>
            <ListFilter className="text-faint" aria-hidden />
            {analytics.filter}
          </Button>
        }
      />
      <RangePicker />
      <CountMenu />
    </>
  );
}
