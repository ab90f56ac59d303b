import {
  ChevronDown,
  CircleEllipsis,
  FlaskConical,
  Folder,
  KeyRound,
  type LucideIcon,
  Megaphone,
  MessageSquare,
  Tags,
  Timer,
} from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { classNames } from "../../base/class-names.ts";
import { useTexts } from "../../texts/texts.tsx";
import { useIsReadOnly } from "../../ui/field.tsx";
import { type ChipSection, chipSections } from "../link-fields.ts";
import { CommentField, FolderField } from "./basics.tsx";
import { useEditor } from "./editor-state.tsx";
import { SectionFields } from "./fields.tsx";
import { AdvancedSection, CardSection, RedirectSection } from "./more-sections.tsx";
import type { Closable } from "./open-sections.ts";
import { PasswordField } from "./password-field.tsx";
import { RulesSection } from "./rules-section.tsx";
import { TagPicker } from "./tag-picker.tsx";
import { TargetsSection } from "./targets-section.tsx";
import { newTest, TestFields } from "./test-fields.tsx";
import { useSummaries } from "./use-summaries.ts";
import { UtmFields } from "./utm-fields.tsx";

/** TABLE of the chips: the icon of each, and the fields that it opens. */
const chips: Record<ChipSection, { icon: LucideIcon; Fields: () => ReactNode }> = {
  utm: { icon: Megaphone, Fields: UtmFields },
  password: { icon: KeyRound, Fields: PasswordField },
  limits: { icon: Timer, Fields: () => <SectionFields section="limits" /> },
  tags: { icon: Tags, Fields: TagPicker },
  folder: { icon: Folder, Fields: FolderField },
  test: { icon: FlaskConical, Fields: TestFields },
  comments: { icon: MessageSquare, Fields: CommentField },
};

/** The options of a link: chips that open the most used ones, and all others under "More". */
export function Options() {
  const { links } = useTexts();
  const { draft, set, open, toggle } = useEditor();
  const isReadOnly = useIsReadOnly();
  const summaries = useSummaries();
  const id = useId();
  const toggleChip = (name: ChipSection) => {
    const isNewTest = name === "test" && draft.testVariants.length === 0 && !open.has(name);
    if (isNewTest && !isReadOnly) set(newTest(draft));
    toggle(name);
  };
  return (
    <div className="grid grid-cols-1 gap-3 border-t border-line pt-4">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend. */}
      <div role="group" aria-label={links.editor.options} className="flex flex-wrap gap-2">
        {chipSections.map((name) => (
          <Chip
            key={name}
            icon={chips[name].icon}
            label={links.editor.chips[name]}
            summary={summaries[name]}
            isOpen={open.has(name)}
            controls={`${id}-${name}`}
            onToggle={() => toggleChip(name)}
          />
        ))}
        <Chip
          icon={CircleEllipsis}
          label={links.editor.chips.more}
          isOpen={open.has("more")}
          controls={`${id}-more`}
          onToggle={() => toggle("more")}
        />
      </div>
      {chipSections.map((name) => {
        const { Fields } = chips[name];
        return (
          <Panel key={name} id={`${id}-${name}`} name={name}>
            <div className="grid grid-cols-1 gap-4 rounded-xl border border-line bg-canvas p-4">
              <Fields />
            </div>
          </Panel>
        );
      })}
      <Panel id={`${id}-more`} name="more">
        <div className="border-b border-line">
          <RulesSection />
          <TargetsSection />
          <CardSection />
          <RedirectSection />
          <AdvancedSection />
        </div>
      </Panel>
    </div>
  );
}

type ChipProps = {
  icon: LucideIcon;
  label: string;
  /** A short summary of the values; undefined when none are set. */
  summary?: string | undefined;
  isOpen: boolean;
  /** The id of the panel. */
  controls: string;
  onToggle(): void;
};

function Chip({ icon: Icon, label, summary, isOpen, controls, onToggle }: ChipProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
      className={classNames(
        "inline-flex h-8 max-w-full items-center gap-1.5 rounded-full border px-3 text-[13px] font-medium transition-colors",
        summary === undefined
          ? "border-line bg-surface text-muted hover:bg-sunken hover:text-ink"
          : "border-accent/30 bg-accent-soft text-accent hover:border-accent",
        isOpen && "border-ink/40 text-ink",
      )}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden />
      <span className="shrink-0">{label}</span>
      {summary !== undefined && (
        <span dir="auto" className="min-w-0 max-w-48 truncate font-normal">
          {summary}
        </span>
      )}
      <ChevronDown
        className={classNames("-mr-1 size-3.5 shrink-0 opacity-60 transition-transform", isOpen && "rotate-180")}
        aria-hidden
      />
    </button>
  );
}

/** What a chip opens. When it opens, it is scrolled into view, and its first field or button takes the focus. */
function Panel({ id, name, children }: { id: string; name: Closable; children: ReactNode }) {
  const { open } = useEditor();
  const isOpen = open.has(name);
  const wasOpen = useRef(isOpen);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen && !wasOpen.current) {
      const control = ":is(input:not([type=checkbox], [type=file]), select, textarea):enabled";
      const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
      (find("[data-first]") ?? find(control) ?? find("button"))?.focus();
      panel.current?.scrollIntoView({ block: "nearest" });
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <div ref={panel} id={id} hidden={!isOpen}>
      {isOpen && children}
    </div>
  );
}
