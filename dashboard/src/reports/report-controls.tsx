import { ListFilter } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { CountMenu } from "./count-menu.tsx";
import { FilterMenu } from "./filter-popover.tsx";
import { RangePicker } from "./range-picker.tsx";

/** The controls of a report: its filters, its period, and what it counts. */
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
