import { useBlocker } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { shortLinkParts } from "../../api/short-link.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { DrawerContents } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { ReadOnlyFields } from "../../ui/field.tsx";
import { ReadOnlyNote } from "../../ui/read-only-note.tsx";
import { useFocusFirstError } from "../../ui/use-focus-first-error.ts";
import { DisabledBadge } from "../disabled-badge.tsx";
import { LinkWarningNotes } from "../link-warning-notes.tsx";
import type { Link, TaggedLink } from "../links-api.ts";
import { noDialog } from "../links-search.ts";
import { useLinksSearch } from "../use-links-search.ts";
import { Basics } from "./basics.tsx";
import { ConflictNote } from "./conflict-note.tsx";
import { changesOf, type Draft, draftOf } from "./draft.ts";
import { EditorProvider } from "./editor-state.tsx";
import { LivePreview, PreviewStrip } from "./live-preview.tsx";
import { useOpenSections } from "./open-sections.ts";
import { Options } from "./option-chips.tsx";
import { shownFields } from "./shown-fields.ts";
import { isConflict, useSave } from "./use-save.ts";

const formId = "link-editor";

type EditorFormProps = {
  title: string;
  first: Draft;
  stored?: TaggedLink;
  isCopy?: boolean;
};

/** The form of a link in its drawer. `stored` is the link to change; without it, the form creates one. */
export function EditorForm({ title, first, stored, isCopy = false }: EditorFormProps) {
  const { links } = useTexts();
  const { canWrite } = useWorkspace();
  const { change } = useLinksSearch();
  const [base, setBase] = useState({ draft: first, stored }); // What the draft is compared with.
  const [draft, setDraft] = useState(first);
  const close = () => change(noDialog);
  const save = useSave(() => change(noDialog, { ignoreBlocker: true }));
  const changes = changesOf(base.draft, draft);
  const isDirty = canWrite && Object.keys(changes).length > 0;
  const form = useRef<HTMLFormElement>(null);
  const { open, toggle } = useOpenSections(first, save.error);
  useFocusFirstError(form, save.error);
  const loadCurrent = (current: TaggedLink) => {
    setBase({ draft: draftOf(current.link), stored: current });
    setDraft(draftOf(current.link));
    save.reset();
  };
  const submit = ({ etag = base.stored?.etag, isToCopy = false } = {}) => {
    if (save.isPending) return;
    if (base.stored !== undefined && !isDirty) close();
    else save.mutate({ draft, before: base.draft, changes, linkId: base.stored?.link.id, etag, isToCopy });
  };
  const overwrite = (current: TaggedLink) => {
    // From now on, this version is the one to overwrite: a retry after another error must not conflict with it again.
    setBase({ ...base, stored: current });
    submit({ etag: current.etag });
  };
  const set = (some: Partial<Draft>) => setDraft((before) => ({ ...before, ...some }));
  const link = base.stored?.link;
  return (
    <EditorProvider value={{ draft, set, error: save.error, sent: save.variables?.draft, link, open, toggle }}>
      <DrawerContents
        title={title}
        about={link && <LinkState link={link} />}
        footer={
          <Footer
            isNew={link === undefined}
            busy={save.isPending ? (save.variables.isToCopy ? "copy" : "save") : undefined}
            onClose={close}
            onCopy={() => submit({ isToCopy: true })}
          />
        }
      >
        <form
          ref={form}
          id={formId}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (canWrite) submit();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || !canWrite) return;
            // Otherwise the field would submit the form a second time.
            event.preventDefault();
            if (!event.repeat) submit();
          }}
          className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_16rem]"
        >
          <PreviewStrip />
          <div className="min-w-0">
            {!canWrite && (
              <div className="mb-4">
                <ReadOnlyNote>{links.editor.readOnly}</ReadOnlyNote>
              </div>
            )}
            {link !== undefined && <LinkWarningNotes link={link} />}
            <div className="grid gap-4">
              {isConflict(save.error) && link !== undefined ? (
                <ConflictNote linkId={link.id} onLoad={loadCurrent} onKeep={overwrite} />
              ) : (
                <FormError error={save.error} draft={save.variables?.draft ?? draft} />
              )}
            </div>
            <ReadOnlyFields value={!canWrite}>
              <Basics />
              <Options />
            </ReadOnlyFields>
          </div>
          <LivePreview />
        </form>
      </DrawerContents>
      <LeaveGuard isDirty={isDirty || (isCopy && !save.isSuccess)} />
    </EditorProvider>
  );
}

type FooterProps = { isNew: boolean; busy: "save" | "copy" | undefined; onClose(): void; onCopy(): void };

function Footer({ isNew, busy, onClose, onCopy }: FooterProps) {
  const { links, words } = useTexts();
  const { canWrite } = useWorkspace();
  if (!canWrite) return <Button onClick={onClose}>{words.close}</Button>;
  return (
    <>
      {/* On a phone, the close button above is enough, and the others stay in one row. */}
      <Button onClick={onClose} className={isNew ? "mr-auto max-sm:hidden" : "mr-auto"}>
        {words.cancel}
      </Button>
      {isNew && (
        <Button isBusy={busy === "copy"} onClick={onCopy}>
          {links.editor.createAndCopy}
        </Button>
      )}
      <Button variant="primary" type="submit" form={formId} isBusy={busy === "save"}>
        {isNew ? links.create : words.save}
      </Button>
    </>
  );
}

/** Shown below the title: the short link, and whether it is disabled. */
function LinkState({ link }: { link: Link }) {
  const { host, path } = shortLinkParts(link.shortLink);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 break-words">{`${host}${path}`}</span>
      <DisabledBadge link={link} />
    </span>
  );
}

/** Shows the errors of the submitted draft that no field shows. */
function FormError({ error, draft }: { error: unknown; draft: Draft }) {
  return (
    <div className="empty:hidden [&>*]:mb-4">
      <ErrorNote error={error} shownFields={shownFields(draft)} />
    </div>
  );
}

/** Asks for confirmation before unsaved changes are lost, whether the person closes the drawer or leaves the page. */
function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { editor } = useTexts().links;
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={editor.leaveTitle}
      action={editor.leave}
      cancelLabel={editor.stay}
      onConfirm={() => blocker.proceed?.()}
    >
      <p>{editor.leaveHint}</p>
    </ConfirmDialog>
  );
}
