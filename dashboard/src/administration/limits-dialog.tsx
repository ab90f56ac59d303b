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
type Written = { number: string; isUnlimited: boolean };

const names = ["links", "domains", "members", "apiKeys", "clickRetentionDays"] as const satisfies readonly LimitName[];
const numberMax = 1_000_000_000;

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
  const [written, setWritten] = useState(() => ({
    links: writtenOf(limits.own.links),
    domains: writtenOf(limits.own.domains),
    members: writtenOf(limits.own.members),
    apiKeys: writtenOf(limits.own.apiKeys),
    clickRetentionDays: writtenOf(limits.own.clickRetentionDays),
  }));
  const saving = useOperation({
    run: () =>
      answerOf(
        waypost.POST("/admin/workspaces/{id}/limits", {
          params: { path: { id: limits.id } },
          body: {
            links: sentOf(written.links),
            domains: sentOf(written.domains),
            members: sentOf(written.members),
            apiKeys: sentOf(written.apiKeys),
            clickRetentionDays: sentOf(written.clickRetentionDays),
          },
        }),
      ),
    done: () => administration.limitsSaved(name),
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
          written={written[one]}
          onWrite={(next) => setWritten((before) => ({ ...before, [one]: next }))}
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
  written: Written;
  onWrite(written: Written): void;
  error: unknown;
};

function LimitField({ name, limits, written, onWrite, error }: LimitFieldProps) {
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
          max={numberMax}
          disabled={written.isUnlimited}
          placeholder={
            instance === null ? administration.noLimit : administration.instanceLimit(format.number(instance))
          }
          value={written.isUnlimited ? "" : written.number}
          onChange={(event) => onWrite({ ...written, number: event.target.value })}
        />
        <span className="flex items-center gap-2">
          <Checkbox
            label={administration.unlimitedFor(settings.limits[name])}
            checked={written.isUnlimited}
            onChange={(isUnlimited) => onWrite({ ...written, isUnlimited })}
          />
          <span aria-hidden className="text-muted">
            {administration.unlimited}
          </span>
        </span>
      </div>
    </Field>
  );
}

function writtenOf(own: number | "unlimited" | undefined): Written {
  return { number: typeof own === "number" ? String(own) : "", isUnlimited: own === "unlimited" };
}

function sentOf({ number, isUnlimited }: Written): number | "unlimited" | null {
  if (isUnlimited) return "unlimited";
  return number === "" ? null : Number(number);
}
