import { PasskeyError } from "../api/passkeys.ts";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote, Note } from "./error-note.tsx";

/** Shows why a passkey was not used or added, in words of this page or of the service. */
export function PasskeyNote({ error }: { error: unknown }) {
  const { passkeys } = useTexts();
  if (!(error instanceof PasskeyError)) return <ErrorNote error={error} />;
  if (error.kind === "replaced") return null;
  return (
    <Note>
      <p>{passkeys.failures[error.kind]}</p>
    </Note>
  );
}
