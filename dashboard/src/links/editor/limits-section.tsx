import { KeyRound, Timer } from "lucide-react";
import { parseTime } from "../../base/time-text.ts";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, UnlessReadOnly } from "../../ui/field.tsx";
import { useTimeText } from "../../ui/use-time-text.ts";
import { passwordCharactersMax } from "../bounds.ts";
import { passwordPlaceholder } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { SectionFields } from "./fields.tsx";
import { Section } from "./section.tsx";

/** When a link works, and for how many clicks. */
export function LimitsSection() {
  const { limits } = useTexts().links;
  const format = useFormat();
  const { draft } = useEditor();
  const { maxClicks } = draft;
  const time = useTimeText();
  // Typed text is only a time once it is complete.
  const shown = (text: string) =>
    parseTime(text, "dayOrInstant") === undefined ? [] : [time.write(text, "dayOrInstant")];
  const parts = [
    shown(draft.startsAt).map(limits.from),
    shown(draft.expiresAt).map(limits.until),
    maxClicks === "" ? [] : [limits.clicks(format.number(Number(maxClicks)))],
  ].flat();
  return (
    <Section
      icon={Timer}
      name="limits"
      title={limits.title}
      summary={parts.length === 0 ? undefined : parts.join(" · ")}
    >
      <SectionFields of="limits" />
    </Section>
  );
}

/** The password that visitors have to enter. A stored one cannot be shown, only replaced or removed. */
export function PasswordSection() {
  const { password } = useTexts().links;
  const { draft, set } = useEditor();
  const fieldError = useFieldError("password");
  const isKept = draft.password === passwordPlaceholder;
  return (
    <Section
      icon={KeyRound}
      name="password"
      title={password.title}
      summary={draft.password === "" ? undefined : password.isSet}
    >
      {isKept ? (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-muted">{password.stored}</p>
          <UnlessReadOnly>
            <Button size="small" onClick={() => set({ password: "" })}>
              {password.replace}
            </Button>
          </UnlessReadOnly>
        </div>
      ) : (
        <Field label={password.label} hint={password.hint} fieldError={fieldError}>
          <Input
            autoComplete="off"
            spellCheck={false}
            maxLength={passwordCharactersMax}
            value={draft.password}
            onChange={(event) => set({ password: event.target.value })}
          />
        </Field>
      )}
    </Section>
  );
}
