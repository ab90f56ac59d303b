import { CircleUser } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { Empty } from "../ui/states.tsx";

export function AccountPage() {
  const { shell } = useTexts();
  return (
    <Page title={shell.account}>
      <Empty icon={CircleUser} title={shell.account} />
    </Page>
  );
}
