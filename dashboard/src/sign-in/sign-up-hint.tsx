import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";

/** How a person without an account gets one. */
export function SignUpHint() {
  const { shell } = useTexts();
  const { signUp, provider } = signInMethods();
  if (signUp === "open") {
    return (
      <p className="text-center text-[13px] text-muted">
        {shell.noAccount} {/* Not a page of the dashboard: the service shows it. */}
        <a href="/app/sign-up" className="text-accent underline">
          {shell.createAccount}
        </a>
      </p>
    );
  }
  const hints = {
    closed: shell.askOperator,
    invite: shell.askOwner,
    provider: shell.signUpWithProvider(provider ?? ""),
  };
  return <p className="text-center text-[13px] text-muted">{hints[signUp]}</p>;
}
