import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, UnlessReadOnly } from "../../ui/field.tsx";
import { passwordCharactersMax } from "../bounds.ts";
import { passwordPlaceholder } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";

/** The password that visitors have to enter. A stored one cannot be shown, only replaced or removed. */
export function PasswordField() {
  const { password } = useTexts().links;
  const { draft, set } = useEditor();
  const fieldError = useFieldError("password");
  if (draft.password === passwordPlaceholder) {
    return (
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">{password.stored}</p>
        <UnlessReadOnly>
          <Button size="small" onClick={() => set({ password: "" })}>
            {password.replace}
          </Button>
        </UnlessReadOnly>
      </div>
    );
  }
  return (
    <Field label={password.label} hint={password.hint} fieldError={fieldError}>
      <Input
        autoComplete="off"
        spellCheck={false}
        maxLength={passwordCharactersMax}
        value={draft.password}
        onChange={(event) => set({ password: event.target.value })}
      />
    </Field>
  );
}
