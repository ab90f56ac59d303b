import { ListFilter } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { CountMenu } from "./count-menu.tsx";
import { FilterMenu } from "./filter-popover.tsx";
import { RangePicker } from "./range-picker.tsx";

/**
 * The page of analytics has room for all its controls, or only for the most important ones beside a "More" menu: on a
 * phone, and where the sidebar leaves little width. These classes show a control in one of the two cases only.
 */
export const expandedClass = "max-sm:hidden md:max-lg:hidden";
export const collapsedClass = "sm:max-md:hidden lg:hidden";

/**
 * The controls of a report: its filters, its period, and its metrics and bots. The short ones fit beside a title on a
 * phone: the filter is an icon, and the page offers metrics and bots elsewhere, as it does beside the sidebar of a tablet.
 */
export function ReportControls({ isShort = false }: { isShort?: boolean }) {
  const { analytics } = useTexts();
  return (
    <>
      <FilterMenu
        align="end"
        trigger={
          <Button className={isShort ? "max-sm:px-2.5" : undefined} title={analytics.filter}>
            <ListFilter className="text-faint" aria-hidden />
            <span className={isShort ? "max-sm:sr-only" : undefined}>{analytics.filter}</span>
          </Button>
        }
      />
      <RangePicker isShort={isShort} />
      <CountMenu className={isShort ? expandedClass : undefined} />
    </>
  );
}
