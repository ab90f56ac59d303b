import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Skeleton } from "../ui/states.tsx";
import { administrationKey } from "./administration-list.tsx";
import { useOperation } from "./use-operation.ts";

type Limits = Schemas["AdministeredWorkspaceLimits"];
type LimitName = keyof Limits["instance"];
/** What a person has entered for a limit; an empty number means the limit of the instance. */
type LimitDraft = { number: string; isUnlimited: boolean };

const names = ["links", "domains", "members", "apiKeys", "clickRetentionDays"] as const satisfies readonly LimitName[];
/** The bounds of the API. */
const countLimitMax = 1_000_000_000;
const retentionDaysMax = 3_650;

/** Changes the limits of a workspace. */
export function LimitsDialog({ id, name, onClose }: { id: number; name: string; onClose(): void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...administrationKey, "limits", id],
    queryFn: () => answerOf(waypost.GET("/admin/workspaces/{id}/limits", { params: { path: { id } } })),
    // The form starts with the current limits, not with those of the last time it was open.
    gcTime: 0,
  });
  const shared = { name, onClose };
  if (data) return <LimitsForm {...shared} limits={data} />;
  return (
    <LimitsFrame {...shared} onSubmit={() => {}} isBusy={!error} error={undefined}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-60" />}
    </LimitsFrame>
  );
}

function LimitsForm({ limits, name, onClose }: { limits: Limits; name: string; onClose(): void }) {
  const { administration } = useTexts();
  const [drafts, setDrafts] = useState(() => ({
    links: draftOf(limits.own.links),
    domains: draftOf(limits.own.domains),
    members: draftOf(limits.own.members),
    apiKeys: draftOf(limits.own.apiKeys),
    clickRetentionDays: draftOf(limits.own.clickRetentionDays),
  }));
  const saving = useOperation({
    run: () =>
      answerOf(
        waypost.POST("/admin/workspaces/{id}/limits", {
          params: { path: { id: limits.id } },
          body: {
            links: sentOf(drafts.links),
            domains: sentOf(drafts.domains),
            members: sentOf(drafts.members),
            apiKeys: sentOf(drafts.apiKeys),
            clickRetentionDays: sentOf(drafts.clickRetentionDays),
          },
        }),
      ),
    successText: () => administration.limitsSaved(name),
    onSuccess: onClose,
    showsFailure: true,
  });
  return (
    <LimitsFrame
      name={name}
      onClose={onClose}
      onSubmit={() => saving.mutate(undefined)}
      isBusy={saving.isPending}
      error={saving.error}
    >
      {names.map((one) => (
        <LimitField
          key={one}
          name={one}
          limits={limits}
          draft={drafts[one]}
          onChange={(next) => setDrafts((before) => ({ ...before, [one]: next }))}
          error={saving.error}
        />
      ))}
    </LimitsFrame>
  );
}

type FrameProps = {
  name: string;
  onClose(): void;
  onSubmit(): void;
  isBusy: boolean;
  error: unknown;
  children: ReactNode;
};

function LimitsFrame({ name, children, ...form }: FrameProps) {
  const { administration, words } = useTexts();
  return (
    <FormDialog
      {...form}
      isOpen
      title={administration.limitsTitle(name)}
      about={administration.limitsAbout}
      action={words.save}
      shownFields={names}
    >
      {children}
    </FormDialog>
  );
}

type LimitFieldProps = {
  name: LimitName;
  limits: Limits;
  draft: LimitDraft;
  onChange(draft: LimitDraft): void;
  error: unknown;
};

function LimitField({ name, limits, draft, onChange, error }: LimitFieldProps) {
  const { administration, settings } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const format = useFormat();
  const instance = limits.instance[name];
  const used = name === "clickRetentionDays" ? undefined : limits.used[name];
  return (
    <Field
      label={settings.limits[name]}
      hint={used === undefined ? administration.limitInDays : administration.limitUsed(format.number(used))}
      fieldError={fieldErrorOf(error, name)}
    >
      <div className="grid grid-cols-[minmax(0,14rem)_auto] items-center justify-start gap-4">
        <Input
          type="number"
          min={1}
          max={name === "clickRetentionDays" ? retentionDaysMax : countLimitMax}
          disabled={draft.isUnlimited}
          placeholder={
            instance === null ? administration.noLimit : administration.instanceLimit(format.number(instance))
          }
          value={draft.isUnlimited ? "" : draft.number}
          onChange={(event) => onChange({ ...draft, number: event.target.value })}
        />
        <span className="flex items-center gap-2">
          <Checkbox
            label={administration.unlimitedFor(settings.limits[name])}
            checked={draft.isUnlimited}
            onChange={(isUnlimited) => onChange({ ...draft, isUnlimited })}
          />
          <span aria-hidden className="text-muted">
            {administration.unlimited}
          </span>
        </span>
      </div>
    </Field>
  );
}

function draftOf(own: number | "unlimited" | undefined): LimitDraft {
  return { number: typeof own === "number" ? String(own) : "", isUnlimited: own === "unlimited" };
}

function sentOf({ number, isUnlimited }: LimitDraft): number | "unlimited" | null {
  if (isUnlimited) return "unlimited";
  return number === "" ? null : Number(number);
}
