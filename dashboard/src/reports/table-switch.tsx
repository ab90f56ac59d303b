import { ChartSpline, Table2 } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { type Drawing, isTable, toggleTable } from "./search.ts";
import { useView } from "./view.tsx";

/** Switches a chart to a table, and back. */
export function TableSwitch({ drawing, name }: { drawing: Drawing; name: string }) {
  const { analytics } = useTexts();
  const { search, change } = useView();
  const isOn = isTable(search, drawing);
  return (
    <IconButton
      label={`${isOn ? analytics.showDrawing : analytics.showTable}: ${name}`}
      aria-pressed={isOn}
      className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
      onClick={() => change(toggleTable(search, drawing))}
    >
      {isOn ? <ChartSpline aria-hidden /> : <Table2 aria-hidden />}
    </IconButton>
  );
}
