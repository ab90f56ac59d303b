import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { CardFooter } from "../ui/form-card.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { useCanChange, useDomainUpdate } from "./domain-actions.tsx";
import type { Domain } from "./domain-state.ts";
import { formatJson, type JsonError, type JsonShape, jsonErrorIn } from "./json-check.ts";

type FileName = "assetLinks" | "appleAppSiteAssociation";

const assetLinksExample = [
  {
    relation: ["delegate_permission/common.handle_all_urls"],
    target: {
      namespace: "android_app",
      package_name: "com.example.app",
      sha256_cert_fingerprints: [
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5",
      ],
    },
  },
];
const appleExample = {
  applinks: { details: [{ appIDs: ["ABCDE12345.com.example.app"], components: [{ "/": "*" }] }] },
};

/** TABLE of the association files with which apps claim a domain's links. */
const files: Record<FileName, { shape: JsonShape; path: string; example: unknown }> = {
  assetLinks: { shape: "list", path: "/.well-known/assetlinks.json", example: assetLinksExample },
  appleAppSiteAssociation: {
    shape: "object",
    path: "/.well-known/apple-app-site-association",
    example: appleExample,
  },
};

/** Edits the association files of a domain. */
export function AppsTab({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  return (
    <>
      <p className="text-muted">{domains.appsHint}</p>
      <Editor key={`android ${domain.slug}`} domain={domain} name="assetLinks" />
      <Editor key={`ios ${domain.slug}`} domain={domain} name="appleAppSiteAssociation" />
    </>
  );
}

function Editor({ domain, name }: { domain: Domain; name: FileName }) {
  const fieldErrorOf = useFieldErrorOf();
  const { domains, words } = useTexts();
  const canChange = useCanChange(domain);
  const notify = useNotify();
  const update = useDomainUpdate(domain.slug);
  const { shape, path, example } = files[name];
  const draft = useDraft({ text: domain[name] ?? "" });
  const { text } = draft.values;
  const setText = (edited: string) => draft.edit({ text: edited });
  const fieldError = useJsonErrorText(jsonErrorIn(text, shape)) ?? fieldErrorOf(update.error, name);
  const save = () =>
    update.mutate(
      { [name]: text.trim() === "" ? null : text },
      {
        onSuccess() {
          draft.clear();
          notify({ kind: "done", text: domains.saved });
        },
      },
    );
  return (
    <Card title={domains[name]} about={domains[`${name}Hint`]}>
      <div className="grid gap-3 p-4 sm:p-5">
        <Field label={`${domains.servedAt} ${path}`} fieldError={fieldError}>
          <TextArea
            rows={text === "" ? 4 : 12}
            spellCheck={false}
            value={text}
            readOnly={!canChange}
            onChange={(event) => setText(event.target.value)}
            className="font-mono text-[13px] leading-5"
          />
        </Field>
        <ErrorNote error={update.error} shownFields={[name]} />
      </div>
      {canChange && (
        <CardFooter>
          {text === "" ? (
            <Button variant="quiet" onClick={() => setText(JSON.stringify(example, null, 2))}>
              {domains.example}
            </Button>
          ) : (
            <Button variant="quiet" disabled={text === formatJson(text)} onClick={() => setText(formatJson(text))}>
              {domains.format}
            </Button>
          )}
          <Button
            variant="primary"
            disabled={!draft.isChanged || fieldError !== undefined}
            isBusy={update.isPending}
            onClick={save}
          >
            {words.save}
          </Button>
        </CardFooter>
      )}
    </Card>
  );
}

function useJsonErrorText(jsonError: JsonError | undefined): string | undefined {
  const { json } = useTexts().domains;
  if (jsonError === undefined) return undefined;
  if (jsonError.kind === "shape") return jsonError.shape === "list" ? json.mustBeList : json.mustBeObject;
  return jsonError.line === undefined
    ? json.syntax(jsonError.message)
    : json.syntaxAt(jsonError.line, jsonError.message);
}
