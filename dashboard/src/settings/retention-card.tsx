import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useWorkspaceDetails } from "../api/workspace-details.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { offeredDays, removesClicks } from "./retention.ts";
import { useWorkspaceUpdate } from "./workspace-queries.ts";

const daysMax = 36_500;

/** Sets how long individual clicks are kept. */
export function RetentionCard() {
  const { settings } = useTexts();
  const { data, error, refetch } = useWorkspaceDetails();
  if (data) return <RetentionForm before={data.clickRetentionDays} />;
  return (
    <Card title={settings.retention}>
      <div className="p-5">
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-9" />}
      </div>
    </Card>
  );
}

function RetentionForm({ before }: { before: number | null }) {
  const fieldErrorOf = useFieldErrorOf();
  const { settings } = useTexts();
  const format = useFormat();
  const { isOwner } = useWorkspace();
  const update = useWorkspaceUpdate();
  const draft = useDraft({ days: before, isOther: !offeredDays.includes(before) });
  const { days, isOther } = draft.values;
  const [isAsking, setAsking] = useState(false);
  const inDays = (count: number | null) =>
    count === null ? settings.forEver : settings.days(count, format.number(count));
  const save = () =>
    update.mutate({ clickRetentionDays: days }, { onSuccess: draft.clear, onSettled: () => setAsking(false) });
  const choose = (value: string) =>
    draft.edit(value === "other" ? { isOther: true } : { isOther: false, days: value === "" ? null : Number(value) });
  return (
    <FormCard
      title={settings.retention}
      about={settings.retentionAbout}
      onSave={() => (removesClicks(before, days) ? setAsking(true) : save())}
      isBusy={update.isPending}
      isChanged={days !== before}
      disabled={!isOwner}
    >
      <div className="flex flex-wrap items-start gap-4">
        <Field
          label={settings.daysLabel}
          hint={isOwner ? undefined : settings.ownersOnly}
          fieldError={fieldErrorOf(update.error, "clickRetentionDays")}
          className="min-w-48"
        >
          <Select value={isOther ? "other" : String(days ?? "")} onChange={(event) => choose(event.target.value)}>
            {offeredDays.map((offered) => (
              <option key={offered} value={offered ?? ""}>
                {inDays(offered)}
              </option>
            ))}
            <option value="other">{settings.otherDays}</option>
          </Select>
        </Field>
        {isOther && (
          <Field label={settings.otherDays} className="w-40">
            <Input
              type="number"
              required
              min={1}
              max={daysMax}
              value={days ?? ""}
              onChange={(event) => draft.edit({ days: event.target.value === "" ? null : Number(event.target.value) })}
            />
          </Field>
        )}
      </div>
      <ErrorNote error={update.error} shownFields={["clickRetentionDays"]} />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={settings.shortenTitle}
        action={settings.shorten}
        onConfirm={save}
        isBusy={update.isPending}
      >
        <p>{settings.shortenText(inDays(days))}</p>
        <p className="font-medium text-ink">{settings.shortenAgain}</p>
      </ConfirmDialog>
    </FormCard>
  );
}
