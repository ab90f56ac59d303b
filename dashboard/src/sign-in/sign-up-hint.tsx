import { useTexts } from "../texts/texts.tsx";

/** How a person without an account gets one, as the page of the service says in its meta element. */
export function SignUpHint() {
  const { shell } = useTexts();
  const mode = document.querySelector<HTMLMetaElement>("meta[name=sign-up]")?.content;
  if (mode !== "open") {
    return (
      <p className="text-center text-[13px] text-muted">{mode === "closed" ? shell.askOperator : shell.askOwner}</p>
    );
  }
  return (
    <p className="text-center text-[13px] text-muted">
      {shell.noAccount} {/* Not a page of the dashboard: the service shows it. */}
      <a href="/app/sign-up" className="text-accent hover:underline">
        {shell.createAccount}
      </a>
    </p>
  );
}
