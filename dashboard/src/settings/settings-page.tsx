import { Settings } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { Empty } from "../ui/states.tsx";

export function SettingsPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.settings}>
      <Empty icon={Settings} title={shell.settings} />
    </Page>
  );
}
