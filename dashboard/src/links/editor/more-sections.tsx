import { CornerUpRight, Image, Settings2 } from "lucide-react";
import { useTexts } from "../../texts/texts.tsx";
import { Field, Select, TextArea, UnlessReadOnly } from "../../ui/field.tsx";
import { ImagePicker } from "../../ui/image-picker.tsx";
import { descriptionCharactersMax, ownIdCharactersMax, titleCharactersMax } from "../bounds.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { FlagField, TextField } from "./fields.tsx";
import { Section } from "./section.tsx";

/** A data URL of this size stays below the API's 100,000 characters. */
const imageBounds = { sizePxMax: 1_200, bytesMax: 72 * 1024 };

/** The social card of a link. */
export function CardSection() {
  const { card } = useTexts().links;
  const { draft, set } = useEditor();
  const isFile = draft.image.startsWith("data:");
  const fieldError = useFieldError("description");
  return (
    <Section
      icon={Image}
      title={card.title}
      summary={draft.proxy ? card.isOn : undefined}
      fields={["title", "description", "image", "video", "proxy"]}
    >
      <FlagField name="proxy" label={card.proxy} hint={card.proxyHint} />
      <TextField name="title" label={card.cardTitle} maxLength={titleCharactersMax} />
      <Field label={card.description} fieldError={fieldError}>
        <TextArea
          rows={2}
          maxLength={descriptionCharactersMax}
          value={draft.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      {!isFile && (
        <TextField name="image" type="url" label={card.imageUrl} placeholder="https://example.com/card.png" />
      )}
      <UnlessReadOnly>
        <ImagePicker
          label={card.imageFile}
          hint={card.imageHint}
          bounds={imageBounds}
          preview={null}
          onPick={(image) => set({ image })}
          onRemove={draft.image === "" ? undefined : () => set({ image: "" })}
        />
      </UnlessReadOnly>
      <TextField name="video" type="url" label={card.video} placeholder="https://example.com/card.mp4" />
    </Section>
  );
}

const statuses = ["301", "302", "307", "308"] as const;

/** How visitors are redirected. */
export function RedirectSection() {
  const { redirect } = useTexts().links;
  const { draft, set } = useEditor();
  const parts = [
    draft.redirectStatus === "" ? [] : [draft.redirectStatus],
    draft.forwardPath ? [redirect.forwardPath] : [],
    draft.rewrite ? [redirect.rewrite] : [],
    draft.doIndex ? [redirect.doIndex] : [],
  ].flat();
  return (
    <Section
      icon={CornerUpRight}
      title={redirect.title}
      summary={parts.length === 0 ? undefined : parts.join(" · ")}
      fields={["redirectStatus", "forwardPath", "rewrite", "doIndex"]}
    >
      <Field label={redirect.status} fieldError={useFieldError("redirectStatus")}>
        <Select value={draft.redirectStatus} onChange={(event) => set({ redirectStatus: event.target.value })}>
          <option value="">{redirect.defaultStatus}</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {redirect.statuses[status]}
            </option>
          ))}
        </Select>
      </Field>
      <FlagField name="forwardPath" label={redirect.forwardPath} hint={redirect.forwardPathHint} />
      <FlagField name="rewrite" label={redirect.rewrite} hint={redirect.rewriteHint} />
      <FlagField name="doIndex" label={redirect.doIndex} hint={redirect.doIndexHint} />
    </Section>
  );
}

/** Fields that few links need. */
export function AdvancedSection() {
  const { advanced } = useTexts().links;
  const { draft } = useEditor();
  const parts = [
    draft.externalId === "" ? [] : [draft.externalId],
    draft.tenantId === "" ? [] : [draft.tenantId],
    draft.archived ? [advanced.archived] : [],
  ].flat();
  return (
    <Section
      icon={Settings2}
      title={advanced.title}
      summary={parts.length === 0 ? undefined : parts.join(" · ")}
      fields={["externalId", "tenantId", "archived", "trackConversion"]}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          name="externalId"
          label={advanced.externalId}
          hint={advanced.externalIdHint}
          maxLength={ownIdCharactersMax}
        />
        <TextField
          name="tenantId"
          label={advanced.tenantId}
          hint={advanced.tenantIdHint}
          maxLength={ownIdCharactersMax}
        />
      </div>
      <FlagField name="trackConversion" label={advanced.trackConversion} hint={advanced.trackConversionHint} />
      <FlagField name="archived" label={advanced.archived} hint={advanced.archivedHint} />
    </Section>
  );
}
