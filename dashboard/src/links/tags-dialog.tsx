import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Select } from "../ui/field.tsx";
import { type Tag, useTags } from "./links-api.ts";
import { ItemForm, ManageDialog, ManagedItem, useLinkCounts } from "./manage-dialog.tsx";
import { TagDot } from "./tag-chip.tsx";

const colors = ["red", "yellow", "green", "blue", "purple", "brown", "gray", "pink"] as const;

/** Creates, renames, colors and deletes the workspace's tags. */
export function TagsDialog({ onClose }: { onClose(): void }) {
  const { canWrite } = useWorkspace();
  const counts = useLinkCounts("tagId");
  return (
    <ManageDialog
      noun="tags"
      query={useTags()}
      create={(api, name) => answerOf(api.POST("/tags", { body: { name } }))}
      onClose={onClose}
    >
      {(tag) => (
        <ManagedItem
          key={tag.id}
          noun="tags"
          item={tag}
          icon={<TagDot color={tag.color} className="size-2.5" />}
          linksCount={counts.get(tag.id) ?? 0}
          isEditable={canWrite}
          remove={(api) => answerOf(api.DELETE("/tags/{id}", { params: { path: { id: tag.id } } }))}
          editForm={(onDone) => <TagForm tag={tag} onClose={onDone} />}
        />
      )}
    </ManageDialog>
  );
}

function TagForm({ tag, onClose }: { tag: Tag; onClose(): void }) {
  const { manage } = useTexts().links;
  const [name, setName] = useState(tag.name);
  const [color, setColor] = useState(tag.color);
  const colorField = (
    <Select
      aria-label={manage.color}
      className="w-28"
      value={color}
      onChange={(event) => setColor(colors.find((each) => each === event.target.value) ?? color)}
    >
      {colors.map((each) => (
        <option key={each} value={each}>
          {manage.colors[each]}
        </option>
      ))}
    </Select>
  );
  return (
    <ItemForm
      noun="tags"
      name={name}
      onName={setName}
      before={colorField}
      save={(api) => answerOf(api.PATCH("/tags/{id}", { params: { path: { id: tag.id } }, body: { name, color } }))}
      onClose={onClose}
    />
  );
}
