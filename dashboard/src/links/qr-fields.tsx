import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Choice } from "../ui/choice.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { Switch } from "../ui/switch.tsx";
import { useDomains } from "./links-api.ts";
import { fileFormats, fileSizes } from "./qr-files.ts";
import { colorProblem, cornerShapes, dotShapes, frames, frameTextCharactersMax, type QrStyle } from "./qr-style.ts";
import type { QrFile } from "./qr-url.ts";

const colors = ["#000000", "#1d4ed8", "#0a6b43", "#b3261e", "#7c3aed", "#c2410c"] as const;

type StyleFieldsProps = { shortLink: string; style: QrStyle; textError: ReactNode; onChange(style: QrStyle): void };

/** The choices of a code's look. */
export function StyleFields({ shortLink, style, textError, onChange }: StyleFieldsProps) {
  const { qr } = useTexts().links;
  const change = (changes: Partial<QrStyle>) => onChange({ ...style, ...changes });
  const domain = useDomains().data?.find(({ slug }) => slug === new URL(shortLink).hostname);
  const lacksLogo = domain !== undefined && domain.logo === null && domain.instance !== true;
  const problem = colorProblem(style);
  return (
    <div className="grid gap-5">
      <Labelled label={qr.dots}>
        <Choice
          label={qr.dots}
          value={style.dots}
          onChange={(dots) => change({ dots })}
          choices={dotShapes.map((value) => ({ value, label: qr.dotShapes[value] }))}
        />
      </Labelled>
      <Labelled label={qr.corners}>
        <Choice
          label={qr.corners}
          value={style.corners}
          onChange={(corners) => change({ corners })}
          choices={cornerShapes.map((value) => ({ value, label: qr.cornerShapes[value] }))}
        />
      </Labelled>
      <Labelled label={qr.frame}>
        <Choice
          label={qr.frame}
          value={style.frame}
          onChange={(frame) => change({ frame, frameText: style.frameText || qr.scanMe })}
          choices={frames.map((value) => ({ value, label: qr.frames[value] }))}
        />
      </Labelled>
      {style.frame !== "none" && (
        <Field label={qr.frameText} fieldError={textError}>
          <Input
            value={style.frameText}
            maxLength={frameTextCharactersMax}
            onChange={(event) => change({ frameText: event.target.value })}
          />
        </Field>
      )}
      <div>
        <div className="flex flex-wrap gap-x-6 gap-y-3">
          <ColorChoice color={style.color} onChange={(color) => change({ color })} />
          <Labelled label={qr.background}>
            <ColorInput
              label={qr.background}
              value={style.background}
              onChange={(background) => change({ background })}
            />
          </Labelled>
        </div>
        <p role="status" className="mt-2 flex items-center gap-1.5 text-[13px] text-warning empty:hidden">
          {problem && <TriangleAlert className="size-4 shrink-0" aria-hidden />}
          {problem && qr.colorProblems[problem]}
        </p>
      </div>
      <Switch
        label={qr.logo}
        hint={lacksLogo ? <AddLogo domain={domain.slug} /> : qr.logoHint}
        checked={style.hasLogo && !lacksLogo}
        disabled={lacksLogo}
        onChange={(hasLogo) => change({ hasLogo })}
      />
    </div>
  );
}

/** Says that a domain has no logo, and where to add it. */
function AddLogo({ domain }: { domain: string }) {
  const { qr } = useTexts().links;
  const { id, canWrite } = useWorkspace();
  return (
    <>
      {qr.noLogo}{" "}
      {canWrite && (
        <Link
          to="/w/$workspaceId/domains/$slug"
          params={{ workspaceId: String(id), slug: domain }}
          search={{ tab: "settings" }}
          className="font-medium text-accent underline"
        >
          {qr.addLogo}
        </Link>
      )}
    </>
  );
}

/** The choice of a file's format and its size, in pixels or, for print, in millimeters. */
export function FileFields({ file, onChange }: { file: QrFile; onChange(file: QrFile): void }) {
  const { qr } = useTexts().links;
  const format = useFormat();
  const { sizes, unit } = fileSizes[file.format];
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-3">
      <Labelled label={qr.format}>
        <Choice
          label={qr.format}
          value={file.format}
          onChange={(chosen) => onChange({ format: chosen, size: fileSizes[chosen].sizes[0] })}
          choices={fileFormats.map((value) => ({ value, label: value.toUpperCase() }))}
        />
      </Labelled>
      {sizes.length > 1 && (
        <Field label={qr.width} className="w-32">
          <Select value={file.size} onChange={(event) => onChange({ ...file, size: Number(event.target.value) })}>
            {sizes
              .toSorted((a, b) => a - b)
              .map((size) => (
                <option key={size} value={size}>
                  {format.number(size)} {unit}
                </option>
              ))}
          </Select>
        </Field>
      )}
    </div>
  );
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid content-start justify-items-start gap-1.5">
      {/* The legend of the choice names it for screen readers. */}
      <span aria-hidden className="font-medium">
        {label}
      </span>
      {children}
    </div>
  );
}

function ColorChoice({ color, onChange }: { color: string; onChange(color: string): void }) {
  const { qr } = useTexts().links;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{qr.color}</legend>
      <div className="flex items-center gap-2">
        {colors.map((each) => (
          <button
            key={each}
            type="button"
            aria-label={each}
            aria-pressed={each === color}
            onClick={() => onChange(each)}
            // The colors of codes are the same in both themes.
            style={{ backgroundColor: each }}
            className="size-7 rounded-full border border-field ring-accent ring-offset-2 ring-offset-surface aria-pressed:ring-2"
          />
        ))}
        <ColorInput label={qr.otherColor} value={color} onChange={onChange} />
      </div>
    </fieldset>
  );
}

type ColorInputProps = { label: string; value: string; onChange(color: string): void };

function ColorInput({ label, value, onChange }: ColorInputProps) {
  return (
    <input
      type="color"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="h-8 w-10 cursor-pointer rounded-lg border border-field bg-surface p-0.5"
    />
  );
}
