import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ImageDown, ImageOff } from "lucide-react";
import { answerOf } from "../../../sdk/client.ts";
import { rootKey } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { ExternalImage } from "../ui/external-image.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { ImagePicker } from "../ui/image-picker.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Switch } from "../ui/switch.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { DangerCard } from "./danger-card.tsx";
import { useCanChange, useDomainUpdate } from "./domain-actions.tsx";
import { domainKey } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";
import { HttpsCard } from "./https-card.tsx";

const logoBounds = { sizePxMax: 256, bytesMax: 48 * 1024 };
const examples = {
  notFoundUrl: "https://example.com/404",
  expiredUrl: "https://example.com/offers",
  placeholder: "https://example.com/a-long-page",
};
const targetFields = ["notFoundUrl", "expiredUrl", "placeholder"] as const;

/** The settings of a domain. */
export function SettingsTab({ domain }: { domain: Domain }) {
  const canChange = useCanChange(domain);
  return (
    <>
      <Targets key={domain.slug} domain={domain} />
      <AppearanceCard domain={domain} />
      <HttpsCard domain={domain} />
      {canChange && <DangerCard domain={domain} />}
    </>
  );
}

/** Reads the root link of a domain, which every domain has. */
function useRootLink(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [...domainKey(id, slug), "root"],
    queryFn: () => answerOf(api.GET("/links/info", { params: { query: { domain: slug, key: rootKey } } })),
  });
}

function Targets({ domain }: { domain: Domain }) {
  const root = useRootLink(domain.slug);
  const { domains } = useTexts();
  if (root.data) return <TargetsForm domain={domain} root={{ id: root.data.id, url: root.data.url }} />;
  return (
    <Card title={domains.targets}>
      <div className="grid gap-4 p-5">
        {root.isPending ? (
          <Skeleton className="h-32" />
        ) : (
          <ErrorNote error={root.error} onRetry={() => void root.refetch()} />
        )}
      </div>
    </Card>
  );
}

type Root = { id: string; url: string };

function TargetsForm({ domain, root }: { domain: Domain; root: Root }) {
  const fieldErrorOf = useFieldErrorOf();
  const { domains } = useTexts();
  const canChange = useCanChange(domain);
  const { notFoundUrl, expiredUrl, placeholder } = domain;
  const draft = useDraft<TargetsDraft>({ rootUrl: root.url, notFoundUrl, expiredUrl, placeholder });
  const saving = useTargetsSaving(domain, root);
  return (
    <FormCard
      title={domains.targets}
      onSave={() => saving.mutate(draft.edits, { onSuccess: draft.clear })}
      isBusy={saving.isPending}
      isChanged={draft.isChanged}
      disabled={!canChange}
    >
      <Field
        label={domains.rootLink}
        hint={domains.rootLinkHint(domain.slug)}
        fieldError={fieldErrorOf(saving.error, "url")}
      >
        <Input
          inputMode="url"
          placeholder="https://example.com"
          value={draft.values.rootUrl}
          onChange={(event) => draft.edit({ rootUrl: event.target.value })}
        />
      </Field>
      {targetFields.map((name) => (
        <Field
          key={name}
          label={domains[name]}
          hint={domains[`${name}Hint`]}
          fieldError={fieldErrorOf(saving.error, name)}
        >
          <Input
            inputMode={name === "placeholder" ? "text" : "url"}
            placeholder={examples[name]}
            value={draft.values[name] ?? ""}
            onChange={(event) => draft.edit({ [name]: event.target.value || null })}
          />
        </Field>
      ))}
      <ErrorNote error={saving.error} shownFields={["url", ...targetFields]} />
    </FormCard>
  );
}

type TargetsDraft = Pick<Domain, (typeof targetFields)[number]> & { rootUrl: string };

/** Saves edits: the root link's URL in its link, and the others in the domain. */
function useTargetsSaving(domain: Domain, root: Root) {
  const { domains } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const update = useDomainUpdate(domain.slug);
  const notify = useNotify();
  return useMutation({
    async mutationFn({ rootUrl, ...settings }: Partial<TargetsDraft>) {
      if (rootUrl !== undefined && rootUrl !== root.url) {
        const params = { path: { linkId: root.id } };
        await answerOf(api.PATCH("/links/{linkId}", { params, body: { url: rootUrl } }));
        await queries.invalidateQueries({ queryKey: [...domainKey(id, domain.slug), "root"] });
      }
      if (Object.keys(settings).length > 0) await update.mutateAsync(settings);
    },
    onSuccess: () => notify({ kind: "done", text: domains.saved }),
  });
}

function AppearanceCard({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const canChange = useCanChange(domain);
  const update = useDomainUpdate(domain.slug);
  // New values are shown at once, and revert if the call fails.
  const requested = update.isPending ? update.variables : undefined;
  const logo = requested?.logo === undefined ? domain.logo : requested.logo;
  const honorDoNotTrack = requested?.honorDoNotTrack ?? domain.honorDoNotTrack ?? false;
  return (
    <Card title={domains.appearance}>
      <div className="grid gap-6 p-4 sm:p-5">
        <ImagePicker
          label={domains.logo}
          hint={domains.logoHint}
          preview={<LogoPreview logo={logo} />}
          bounds={logoBounds}
          disabled={!canChange}
          onPick={(picked) => update.mutate({ logo: picked })}
          onRemove={logo === null ? undefined : () => update.mutate({ logo: null })}
        />
        <Switch
          label={domains.honorDoNotTrack}
          hint={domains.honorDoNotTrackHint}
          checked={honorDoNotTrack}
          disabled={!canChange}
          onChange={(checked) => update.mutate({ honorDoNotTrack: checked })}
        />
        <p className="text-[13px] text-muted">
          {domain.caseSensitive ? domains.isCaseSensitive : domains.isCaseFolded}
        </p>
        <ErrorNote error={update.error} />
      </div>
    </Card>
  );
}

function LogoPreview({ logo }: { logo: string | null }) {
  const { words } = useTexts();
  const none = <ImageOff className="size-5" aria-hidden />;
  return (
    <span className="grid size-16 shrink-0 place-items-center overflow-hidden rounded-xl border border-line bg-sunken text-faint">
      {logo === null ? (
        none
      ) : (
        <ExternalImage
          key={logo}
          url={logo}
          className="size-full object-contain"
          fallback={none}
          placeholder={(load) => (
            <IconButton label={words.loadImage} className="size-full rounded-none" onClick={load}>
              <ImageDown />
            </IconButton>
          )}
        />
      )}
    </span>
  );
}
