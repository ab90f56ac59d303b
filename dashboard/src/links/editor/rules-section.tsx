import { ArrowDown, ArrowUp, Plus, Split, Trash2, X } from "lucide-react";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { Field, Input, Select, UnlessReadOnly } from "../../ui/field.tsx";
import { type EditedRows, useRows } from "../../ui/use-rows.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { FieldErrorText, useErrorAttributes } from "./fields.tsx";
import {
  availableFields,
  type ConditionDraft,
  type ConditionField,
  conditionEdges,
  isInstantField,
  newRule,
  type RuleDraft,
} from "./rule-draft.ts";
import { Section } from "./section.tsx";

const rulesMax = 50;

/** Destinations for some visitors; the first matching rule decides. */
export function RulesSection() {
  const { rules: texts } = useTexts().links;
  const format = useFormat();
  const { draft, set } = useEditor();
  const rules = useRows(draft.rules, (changed) => set({ rules: changed }));
  const count = draft.rules.length;
  const fieldError = useFieldError("rules");
  return (
    <Section
      icon={Split}
      name="rules"
      title={texts.title}
      summary={count === 0 ? undefined : texts.count(count, format.number(count))}
    >
      <p className="text-[13px] text-muted">{texts.about}</p>
      {count > 0 && (
        <ol className="grid gap-3">
          {rules.rows.map(({ key, row }, index) => (
            <RuleCard key={key} rule={row} index={index} rules={rules} />
          ))}
        </ol>
      )}
      {fieldError !== undefined && <FieldErrorText>{fieldError}</FieldErrorText>}
      <UnlessReadOnly>
        <div>
          <Button size="small" disabled={count >= rulesMax} onClick={() => rules.add(newRule)}>
            <Plus />
            {texts.add}
          </Button>
        </div>
      </UnlessReadOnly>
    </Section>
  );
}

type RuleCardProps = { rule: RuleDraft; index: number; rules: EditedRows<RuleDraft> };

function RuleCard({ rule, index, rules }: RuleCardProps) {
  const { links, words } = useTexts();
  const { rules: texts } = links;
  const fieldError = useFieldError(`rules.${index}.url`);
  const conditions = useRows(rule.conditions, (changed) => rules.change(index, { ...rule, conditions: changed }));
  return (
    <li className="grid gap-3 rounded-xl border border-line bg-canvas p-3">
      <div className="flex items-center gap-1">
        <span className="mr-auto font-medium">{texts.rule(index + 1)}</span>
        <UnlessReadOnly>
          <IconButton label={texts.up} disabled={index === 0} onClick={() => rules.move(index, index - 1)}>
            <ArrowUp />
          </IconButton>
          <IconButton
            label={texts.down}
            disabled={index === rules.rows.length - 1}
            onClick={() => rules.move(index, index + 1)}
          >
            <ArrowDown />
          </IconButton>
          <IconButton label={`${words.remove} ${texts.rule(index + 1)}`} onClick={() => rules.remove(index)}>
            <Trash2 />
          </IconButton>
        </UnlessReadOnly>
      </div>
      {conditions.rows.map(({ key, row }, at) => (
        <ConditionRow
          key={key}
          condition={row}
          at={`rules.${index}.when.${row.field}`}
          fields={availableFields(rule.conditions.filter((_, position) => position !== at))}
          isFirst={at === 0}
          onChange={(changed) => conditions.change(at, changed)}
          onRemove={rule.conditions.length === 1 ? undefined : () => conditions.remove(at)}
        />
      ))}
      <UnlessReadOnly>
        <div>
          <Button
            size="small"
            variant="quiet"
            className="-ml-2.5"
            onClick={() => conditions.add({ field: "device", name: "", value: "" })}
          >
            <Plus />
            {texts.addCondition}
          </Button>
        </div>
      </UnlessReadOnly>
      <Field label={texts.url} fieldError={fieldError}>
        <Input
          placeholder="https://example.com/de"
          value={rule.url}
          onChange={(event) => rules.change(index, { ...rule, url: event.target.value })}
        />
      </Field>
    </li>
  );
}

type ConditionRowProps = {
  condition: ConditionDraft;
  /** The API's name of the condition's field. */
  at: string;
  /** The fields to choose from. */
  fields: readonly ConditionField[];
  isFirst: boolean;
  onChange(condition: ConditionDraft): void;
  onRemove: (() => void) | undefined;
};

function ConditionRow({ condition, at, fields, isFirst, onChange, onRemove }: ConditionRowProps) {
  const { links } = useTexts();
  const { rules: texts } = links;
  const { field, name, value } = condition;
  const { attributes, errorText } = useErrorAttributes(useFieldError(at));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="w-10 text-[13px] text-faint">{isFirst ? texts.if : texts.and}</span>
      <Select
        aria-label={texts.condition}
        className="w-36"
        value={field}
        onChange={(event) => {
          const chosen = fields.find((each) => each === event.target.value);
          if (chosen !== undefined) onChange({ field: chosen, name: "", value: "" });
        }}
      >
        {fields.map((each) => (
          <option key={each} value={each}>
            {texts.fields[each]}
          </option>
        ))}
      </Select>
      {field === "query" && (
        <Input
          {...attributes}
          aria-label={texts.parameter}
          placeholder="src"
          className="w-28"
          value={name}
          onChange={(event) => onChange({ ...condition, name: event.target.value })}
        />
      )}
      {field === "device" ? (
        <Select
          {...attributes}
          aria-label={texts.value}
          className="min-w-32 flex-1"
          value={value}
          onChange={(event) => onChange({ ...condition, value: event.target.value })}
        >
          {deviceLists.map((list) => (
            <option key={list} value={list}>
              {list === "" ? "…" : list}
            </option>
          ))}
        </Select>
      ) : isInstantField(field) ? (
        <DateField
          {...attributes}
          kind="dayOrInstant"
          edge={conditionEdges[field]}
          aria-label={texts.value}
          className="min-w-60 flex-1"
          value={value}
          onChange={(instant) => onChange({ ...condition, value: instant })}
        />
      ) : (
        <Input
          {...(field !== "query" && attributes)}
          aria-label={texts.value}
          placeholder={texts.examples[field]}
          className="min-w-32 flex-1"
          value={value}
          onChange={(event) => onChange({ ...condition, value: event.target.value })}
        />
      )}
      {onRemove !== undefined && (
        <UnlessReadOnly>
          <IconButton label={texts.removeCondition} onClick={onRemove}>
            <X />
          </IconButton>
        </UnlessReadOnly>
      )}
      {errorText && <div className="basis-full">{errorText}</div>}
    </div>
  );
}

const deviceLists = ["", "Desktop", "Mobile", "Tablet", "Mobile, Tablet", "Desktop, Tablet"];
