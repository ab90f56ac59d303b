import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";

export function WelcomePage() {
  const { shell } = useTexts();
  return <Page title={shell.links}>{null}</Page>;
}
