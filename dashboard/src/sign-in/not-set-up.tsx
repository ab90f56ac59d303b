import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

const createCommand = 'npm run waypost -- user create --email you@example.com --workspace "My workspace"';

/** Shown instead of the sign-in page while nobody has an account: only the set-up link creates the first one. */
export function NotSetUp() {
  const { shell } = useTexts();
  return (
    <SignInLayout title={shell.notSetUp.title} about={shell.notSetUp.about}>
      <Button variant="primary" onClick={() => location.reload()}>
        {shell.notSetUp.reload}
      </Button>
      <div className="grid gap-2 text-[13px] text-muted">
        <p>{shell.notSetUp.lost}</p>
        <Code text={createCommand} label={shell.notSetUp.command} copyLabel={shell.notSetUp.command} />
      </div>
    </SignInLayout>
  );
}
