import { type ReactNode, useState } from "react";
import { type Language, languageNames, languages } from "../base/languages.ts";
import { browserTimeZone, offsetText } from "../base/time-zones.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { ChoiceButton, Field, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { TimeZoneList } from "../ui/time-zone-list.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { type Notification, type NotificationKind, useNotificationSave, useSubjects } from "./notification-queries.ts";
import { shareName } from "./notification-subject.ts";

const kinds = ["weeklyReport", "monthlyReport", "spike", "drop", "failingDomain"] as const satisfies NotificationKind[];

type NotificationDialogProps = {
  /** The notification to change; undefined for a new one. */
  notification?: Notification;
  onClose(): void;
};

/** Subscribes the person to a report or an alert, or changes one. */
export function NotificationDialog({ notification, onClose }: NotificationDialogProps) {
  const { notifications, words } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const notify = useNotify();
  const [draft, setDraft] = useDraft(notification);
  const { kind, subject } = draft;
  const save = useNotificationSave(notification, () => {
    notify({ kind: "done", text: notification === undefined ? notifications.added : notifications.changed });
    onClose();
  });
  const isAboutClicks = kind !== "failingDomain";
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={notification === undefined ? notifications.add : notifications.editTitle}
      action={notification === undefined ? words.add : words.save}
      onSubmit={() => save.mutate({ ...draft, subject: isAboutClicks ? subject : "" })}
      isBusy={save.isPending}
      error={save.error}
      shownFields={["kind", "timeZone"]}
    >
      <Field
        label={notifications.kind}
        hint={notifications.kindHints[kind]}
        fieldError={fieldErrorOf(save.error, "kind")}
      >
        <Select
          value={kind}
          onChange={(event) => setDraft({ kind: kinds.find((each) => each === event.target.value) ?? kind })}
        >
          {kinds.map((each) => (
            <option key={each} value={each}>
              {notifications.kinds[each]}
            </option>
          ))}
        </Select>
      </Field>
      {isAboutClicks && <SubjectField subject={subject} onChange={(next) => setDraft({ subject: next })} />}
      <TimeZoneField
        timeZone={draft.timeZone}
        onChange={(timeZone) => setDraft({ timeZone })}
        fieldError={fieldErrorOf(save.error, "timeZone")}
      />
      <LanguageField language={draft.language} onChange={(language) => setDraft({ language })} />
    </FormDialog>
  );
}

/** The fields of the form; those of a new notification follow the browser and the dashboard. */
type Draft = Pick<Notification, "kind" | "timeZone" | "language"> & { subject: string };

function useDraft(notification: Notification | undefined): [Draft, (changes: Partial<Draft>) => void] {
  const { language } = useFormat();
  const [draft, setDraft] = useState<Draft>(() =>
    notification === undefined
      ? {
          ...{ kind: "weeklyReport", subject: "", language },
          timeZone: browserTimeZone(),
        }
      : { ...notification, subject: notification.folderId ?? notification.shareId ?? "" },
  );
  return [draft, (changes) => setDraft((current) => ({ ...current, ...changes }))];
}

type TimeZoneFieldProps = { timeZone: string; onChange(timeZone: string): void; fieldError: ReactNode };

function TimeZoneField({ timeZone, onChange, fieldError }: TimeZoneFieldProps) {
  const { notifications, analytics } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const own = browserTimeZone();
  const choose = (zone: string) => {
    onChange(zone);
    setOpen(false);
  };
  return (
    <Field label={notifications.timeZone} fieldError={fieldError}>
      <ChoiceButton isOpen={isOpen} onClick={() => setOpen(!isOpen)}>
        {timeZone.replaceAll("_", " ")} <span className="text-faint">{offsetText(timeZone)}</span>
      </ChoiceButton>
      {isOpen && (
        <TimeZoneList
          timeZone={timeZone}
          onChoose={choose}
          first={{ text: analytics.browserTimezone(own.replaceAll("_", " ")), onChoose: () => choose(own) }}
        />
      )}
    </Field>
  );
}

function LanguageField({ language, onChange }: { language: Language; onChange(language: Language): void }) {
  const { notifications } = useTexts();
  return (
    <Field label={notifications.language}>
      <Select
        value={language}
        onChange={(event) => onChange(languages.find((each) => each === event.target.value) ?? language)}
      >
        {languages.map((each) => (
          <option key={each} value={each} lang={each}>
            {languageNames[each]}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function SubjectField({ subject, onChange }: { subject: string; onChange(subject: string): void }) {
  const { notifications } = useTexts();
  const format = useFormat();
  const { data: { folders, shares } = { folders: [], shares: [] } } = useSubjects();
  return (
    <Field label={notifications.subject}>
      <Select value={subject} onChange={(event) => onChange(event.target.value)}>
        <option value="">{notifications.wholeWorkspace}</option>
        {folders.length > 0 && (
          <optgroup label={notifications.folders}>
            {folders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
        {shares.length > 0 && (
          <optgroup label={notifications.shares}>
            {shares.map((share) => (
              <option key={share.id} value={share.id}>
                {shareName(share, folders, { notifications, format })}
              </option>
            ))}
          </optgroup>
        )}
      </Select>
    </Field>
  );
}
