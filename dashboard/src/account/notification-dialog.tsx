import { useState } from "react";
import { currentZoneName, timeZones } from "../base/time-zones.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { type NotificationKind, useNewNotification, useSubjects } from "./notification-queries.ts";
import { shareName } from "./notification-subject.ts";

const kinds = ["weeklyReport", "monthlyReport", "spike", "drop", "failingDomain"] as const satisfies NotificationKind[];

/** Subscribes the person to a report or an alert. */
export function NotificationDialog({ onClose }: { onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { notifications, words } = useTexts();
  const { language } = useFormat();
  const notify = useNotify();
  const [kind, setKind] = useState<NotificationKind>("weeklyReport");
  const [subject, setSubject] = useState("");
  const [timeZone, setTimeZone] = useState(() => currentZoneName(new Intl.DateTimeFormat().resolvedOptions().timeZone));
  const creation = useNewNotification(() => {
    notify({ kind: "done", text: notifications.added });
    onClose();
  });
  const isAboutClicks = kind !== "failingDomain";
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={notifications.add}
      action={words.add}
      onSubmit={() => creation.mutate({ kind, subject: isAboutClicks ? subject : "", timeZone, language })}
      isBusy={creation.isPending}
      error={creation.error}
      shownFields={["kind", "timeZone"]}
    >
      <Field
        label={notifications.kind}
        hint={notifications.kindHints[kind]}
        fieldError={fieldErrorOf(creation.error, "kind")}
      >
        <Select value={kind} onChange={(event) => setKind(kinds.find((each) => each === event.target.value) ?? kind)}>
          {kinds.map((each) => (
            <option key={each} value={each}>
              {notifications.kinds[each]}
            </option>
          ))}
        </Select>
      </Field>
      {isAboutClicks && <SubjectField subject={subject} onChange={setSubject} />}
      <Field label={notifications.timeZone} fieldError={fieldErrorOf(creation.error, "timeZone")}>
        <Select value={timeZone} onChange={(event) => setTimeZone(event.target.value)}>
          {[...new Set([timeZone, ...timeZones()])].map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll("_", " ")}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
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
