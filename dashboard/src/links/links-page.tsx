import { Link2 } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { Empty } from "../ui/states.tsx";

export function LinksPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.links} isWide>
      <Empty icon={Link2} title={shell.links} />
    </Page>
  );
}
