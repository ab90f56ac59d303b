import { Globe } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { Empty } from "../ui/states.tsx";

export function DomainsPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.domains}>
      <Empty icon={Globe} title={shell.domains} />
    </Page>
  );
}
