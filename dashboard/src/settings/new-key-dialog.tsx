import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { localTime } from "../base/local-time.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Choice } from "../ui/choice.tsx";
import { DateField } from "../ui/date-field.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Switch } from "../ui/switch.tsx";
import { type Expiry, expiresAtOf, offeredExpiryDays } from "./key-expiry.ts";
import { firstLevels, type Levels, levels, nouns, readingScopes, scopesOf } from "./key-scopes.ts";
import { ShownKey } from "./shown-key.tsx";
import { apiKeysKey } from "./workspace-queries.ts";

type Access = "all" | "read" | "chosen";
type KeyDraft = { name: string; access: Access; levels: Levels; allWorkspaces: boolean; expiry: Expiry };

const blank: KeyDraft = {
  name: "",
  access: "all",
  levels: firstLevels,
  allWorkspaces: false,
  expiry: { kind: "never" },
};

/** Creates a key for the person and shows it once. */
export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { settings, words } = useTexts();
  const [draft, setDraft] = useState(blank);
  const creation = useKeyCreation(draft);
  const newKey = creation.data;
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={newKey ? settings.keyReady : settings.keyAddTitle}
      about={newKey ? settings.keyReadyHint : settings.keysAbout}
      className="max-w-lg"
      action={words.create}
      onSubmit={() => creation.mutate()}
      isBusy={creation.isPending}
      error={creation.error}
      shownFields={["name", "expiresAt"]}
      result={
        newKey && {
          secret: { text: newKey.key, copyLabel: settings.copyKey },
          content: <ShownKey apiKey={newKey.key} scopes={newKey.scopes} />,
        }
      }
    >
      <Field label={settings.keyName} hint={settings.keyNameHint} fieldError={fieldErrorOf(creation.error, "name")}>
        <Input
          required
          maxLength={nameCharactersMax}
          value={draft.name}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
      </Field>
      <AccessFields draft={draft} onChange={setDraft} />
      <Switch
        label={settings.keyAllWorkspaces}
        hint={settings.keyAllWorkspacesHint}
        checked={draft.allWorkspaces}
        onChange={(allWorkspaces) => setDraft({ ...draft, allWorkspaces })}
      />
      <ExpiryFields
        expiry={draft.expiry}
        fieldError={fieldErrorOf(creation.error, "expiresAt")}
        onChange={(expiry) => setDraft({ ...draft, expiry })}
      />
    </FormDialog>
  );
}

function useKeyCreation({ name, access, levels: chosen, allWorkspaces, expiry }: KeyDraft) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => {
      const scopes = { all: null, read: readingScopes, chosen: scopesOf(chosen) }[access];
      const expiresAt = expiresAtOf(expiry, Date.now()) ?? null;
      return answerOf(api.POST("/api-keys", { body: { name, scopes, allWorkspaces, expiresAt } }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: apiKeysKey(id) }),
  });
}

type PartProps = { draft: KeyDraft; onChange(draft: KeyDraft): void };

function AccessFields({ draft, onChange }: PartProps) {
  const { settings } = useTexts();
  return (
    <div className="grid gap-2">
      <p className="font-medium">{settings.keyAccess}</p>
      <Choice
        label={settings.keyAccess}
        value={draft.access}
        onChange={(access) => onChange({ ...draft, access })}
        choices={(["all", "read", "chosen"] as const).map((value) => ({ value, label: settings.access[value] }))}
        className="justify-self-start"
      />
      {draft.access === "chosen" && (
        <div className="divide-y divide-line rounded-lg border border-line">
          {nouns.map((noun) => (
            <div key={noun} className="flex items-center justify-between gap-3 py-1.5 pl-3 pr-1.5">
              <span aria-hidden>{settings.nouns[noun]}</span>
              <Select
                aria-label={settings.nouns[noun]}
                value={draft.levels[noun]}
                onChange={(event) => {
                  const level = levels.find((each) => each === event.target.value) ?? "none";
                  onChange({ ...draft, levels: { ...draft.levels, [noun]: level } });
                }}
                className="w-40 shrink-0 sm:w-44"
              >
                {levels.map((level) => (
                  <option key={level} value={level}>
                    {settings.accessLevels[level]}
                  </option>
                ))}
              </Select>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

type ExpiryProps = { expiry: Expiry; fieldError: ReactNode; onChange(expiry: Expiry): void };

function ExpiryFields({ expiry, fieldError, onChange }: ExpiryProps) {
  const { settings } = useTexts();
  const format = useFormat();
  const choose = (value: string) => {
    if (value === "never") onChange({ kind: "never" });
    else if (value === "day") onChange({ kind: "day", day: "" });
    else onChange({ kind: "days", days: Number(value) });
  };
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={settings.keyExpiry} fieldError={fieldError}>
        <Select
          value={expiry.kind === "days" ? String(expiry.days) : expiry.kind}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="never">{settings.never}</option>
          {offeredExpiryDays.map((days) => (
            <option key={days} value={days}>
              {settings.inDays(settings.days(days, format.number(days)))}
            </option>
          ))}
          <option value="day">{settings.onDay}</option>
        </Select>
      </Field>
      {expiry.kind === "day" && (
        <Field label={settings.day}>
          <DateField
            kind="day"
            isRequired
            dayMin={localTime(Date.now()).slice(0, 10)}
            value={expiry.day}
            onChange={(day) => onChange({ kind: "day", day })}
          />
        </Field>
      )}
    </div>
  );
}
