import { CornerUpRight, Image, Settings2 } from "lucide-react";
import { useTexts } from "../../texts/texts.tsx";
import { Field, Input, Select, UnlessReadOnly } from "../../ui/field.tsx";
import { ImagePicker } from "../../ui/image-picker.tsx";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { SectionFields } from "./fields.tsx";
import { Section } from "./section.tsx";

/** A data URL of this size stays below the API's 100,000 characters. */
const imageBounds = { sizePxMax: 1_200, bytesMax: 72 * 1024 };

/** The social card of a link. */
export function CardSection() {
  const { card } = useTexts().links;
  const { draft } = useEditor();
  return (
    <Section icon={Image} name="card" title={card.title} summary={draft.proxy ? card.isOn : undefined}>
      <SectionFields section="card" controls={{ image: <CardImage /> }} />
    </Section>
  );
}

/** An image by its URL, or a file that the person picks. */
function CardImage() {
  const { card } = useTexts().links;
  const { draft, set } = useEditor();
  const fieldError = useFieldError("image");
  return (
    <>
      {!draft.image.startsWith("data:") && (
        <Field label={card.imageUrl} fieldError={fieldError}>
          <Input
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://example.com/card.png"
            value={draft.image}
            onChange={(event) => set({ image: event.target.value })}
          />
        </Field>
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
    </>
  );
}

const statuses = ["301", "302", "307", "308"] as const;

/** How visitors are redirected. */
export function RedirectSection() {
  const { redirect } = useTexts().links;
  const { draft } = useEditor();
  const parts = [
    draft.redirectStatus === "" ? [] : [draft.redirectStatus],
    draft.forwardPath ? [redirect.forwardPath] : [],
    draft.rewrite ? [redirect.rewrite] : [],
    draft.doIndex ? [redirect.doIndex] : [],
  ].flat();
  return (
    <Section
      icon={CornerUpRight}
      name="redirect"
      title={redirect.title}
      summary={parts.length === 0 ? undefined : parts.join(" · ")}
    >
      <SectionFields section="redirect" controls={{ redirectStatus: <StatusField /> }} />
    </Section>
  );
}

function StatusField() {
  const { redirect } = useTexts().links;
  const { draft, set } = useEditor();
  return (
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
      name="advanced"
      title={advanced.title}
      summary={parts.length === 0 ? undefined : parts.join(" · ")}
    >
      <SectionFields section="advanced" />
    </Section>
  );
}
