import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Credentials, signIn } from "../api/session.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { Note } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import { CodeForm } from "./code-form.tsx";
import { LinkPage } from "./link-page.tsx";
import { NotSetUp } from "./not-set-up.tsx";
import { OtherMethods } from "./other-methods.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";
import { SignUpHint } from "./sign-up-hint.tsx";
import { usePasskeySignIn } from "./use-passkey-sign-in.ts";

/** Signs in, then opens the requested page or the first one. */
export function SignInPage() {
  const { shell, security } = useTexts();
  const { next, problem } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const { history } = useRouter();
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const [wantsLink, setWantsLink] = useState(false);
  const { hasPasswords, provider, isSetUp } = signInMethods();
  const open = () => {
    // Cached data may belong to another user who did not sign out.
    queries.clear();
    return next === undefined ? navigate({ to: "/" }) : history.push(`/app${next}`);
  };
  const attempt = useMutation({
    mutationFn: (credentials: Credentials) => signIn(credentials),
    onSuccess: (outcome) => (outcome === "code" ? setNeedsCode(true) : open()),
  });
  const passkey = usePasskeySignIn({ isOffered: !needsCode && !wantsLink, onSignedIn: open });
  const state = { isBusy: attempt.isPending, error: attempt.error };
  const startOver = () => {
    setNeedsCode(false);
    setPassword("");
    attempt.reset();
  };
  if (!isSetUp && provider === null) return <NotSetUp />;
  if (wantsLink) {
    return <LinkPage email={email} onEmail={setEmail} next={next} onCancel={() => setWantsLink(false)} />;
  }
  if (needsCode) {
    return (
      <SignInLayout title={security.codeTitle} about={security.codeAbout(email)}>
        <CodeForm {...state} onSubmit={(code) => attempt.mutate({ email, password, code })} onCancel={startOver} />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout
      title={shell.signInTitle}
      about={!hasPasswords && provider !== null ? shell.onlyProvider(provider) : undefined}
    >
      {problem !== undefined && (
        <Note>
          <p>{shell.signInProblems[problem](provider ?? "", hasPasswords)}</p>
        </Note>
      )}
      {hasPasswords && (
        <SignInForm
          {...state}
          email={email}
          onEmail={setEmail}
          offersPasskeys={passkey.isAvailable}
          action={shell.signIn}
          onSubmit={() => attempt.mutate({ email, password })}
        >
          <Field
            label={shell.password}
            aside={
              <Link to="/forgot-password" className="text-[13px] text-accent hover:underline">
                {shell.forgot}
              </Link>
            }
          >
            <Input
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
        </SignInForm>
      )}
      <OtherMethods next={next} passkey={passkey} onLink={() => setWantsLink(true)} />
      <SignUpHint />
    </SignInLayout>
  );
}
