import { ChartColumn } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { Empty } from "../ui/states.tsx";

export function AnalyticsPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.analytics}>
      <Empty icon={ChartColumn} title={shell.analytics} />
    </Page>
  );
}
