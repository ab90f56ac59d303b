import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { canStream, pickSaveTarget, sizeText, withProgress } from "../base/save-file.ts";
import { useCount } from "../reports/report-queries.ts";
import { customPeriodOf, intervalDefault } from "../reports/search.ts";
import { useView } from "../reports/view.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useNotify } from "../ui/toasts.tsx";

const formats = ["csv", "jsonl", "parquet"] as const;
type ExportFormat = (typeof formats)[number];

/** Saves the page's clicks, one by one, as a file. */
export function ExportDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { analytics, words } = useTexts();
  const format = useFormat();
  const [chosen, setChosen] = useState<ExportFormat>("csv");
  const { start, stop, state } = useExport(onClose);
  const clicks = useCurrentCount()?.clicks;
  const isRunning = state.kind === "running";
  const close = () => {
    stop();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={analytics.exportTitle}
      about={
        clicks === undefined ? undefined : analytics.exportAbout(analytics.countClicks(clicks, format.number(clicks)))
      }
      footer={
        <>
          <Button onClick={close}>{isRunning ? analytics.stop : words.cancel}</Button>
          <Button variant="primary" isBusy={isRunning} onClick={() => void start(chosen)}>
            {!isRunning && <Download aria-hidden />}
            {isRunning ? analytics.exportProgress(sizeText(state.bytes, format.language)) : analytics.download}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <ExportedPeriod />
        <FormatChoice value={chosen} onChange={setChosen} />
        {!canStream() && <p className="text-[13px] text-muted">{analytics.exportInMemory}</p>}
        {state.kind === "failed" &&
          (state.error instanceof WaypostError ? (
            <ErrorNote error={state.error} />
          ) : (
            <p role="alert" className="text-danger">
              {analytics.exportBroken}
            </p>
          ))}
      </div>
    </Dialog>
  );
}

/** The count of the page's period; undefined while it is loading, even if the page still shows another period. */
function useCurrentCount() {
  const { data, isPlaceholderData } = useCount();
  return isPlaceholderData ? undefined : data;
}

/** The exported days in the page's time zone; the name of the period until its days are known. */
function ExportedPeriod() {
  const { analytics } = useTexts();
  const { search, timezone, timeLabels } = useView();
  const count = useCurrentCount();
  const { interval = intervalDefault } = search;
  const custom = customPeriodOf(search);
  const named = count === undefined ? analytics.intervals[interval] : timeLabels.between(count.start, count.end);
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
      <dt className="text-muted">{analytics.range}</dt>
      <dd className="font-medium tabular">{custom === undefined ? named : timeLabels.period(custom)}</dd>
      <dt className="text-muted">{analytics.timezone}</dt>
      <dd>{timezone.replaceAll("_", " ")}</dd>
    </dl>
  );
}

function FormatChoice({ value, onChange }: { value: ExportFormat; onChange(format: ExportFormat): void }) {
  const { analytics } = useTexts();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 font-medium">{analytics.format}</legend>
      {formats.map((format) => (
        <label
          key={format}
          className="flex cursor-pointer items-start gap-3 rounded-lg border border-line px-3.5 py-2.5 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name="format"
            checked={format === value}
            onChange={() => onChange(format)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="grid">
            <span className="font-medium">{analytics.formats[format]}</span>
            <span className="text-[13px] text-muted">{analytics.formatHints[format]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type ExportState = { kind: "idle" } | { kind: "running"; bytes: number } | { kind: "failed"; error: unknown };

function useExport(onDone: () => void) {
  const { api } = useWorkspace();
  const { analytics } = useTexts();
  const { reportQuery } = useView();
  const notify = useNotify();
  const [state, setState] = useState<ExportState>({ kind: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const stop = () => {
    running.current?.abort();
    setState({ kind: "idle" });
  };
  const start = async (format: ExportFormat) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    try {
      const target = await pickSaveTarget(`clicks-${new Date().toISOString().slice(0, 10)}.${format}`);
      if (target === undefined) return;
      setState({ kind: "running", bytes: 0 });
      const { metric: _, compare: __, ...query } = { ...reportQuery, format };
      const answer = await api.GET("/events/export", { params: { query }, parseAs: "stream", signal });
      if (!answer.data) throw WaypostError.from(answer.response, answer.error);
      await target.write(
        withProgress(answer.data, (bytes) => setState({ kind: "running", bytes })),
        signal,
      );
      setState({ kind: "idle" });
      notify({ kind: "done", text: analytics.exportDone(target.name) });
      onDone();
    } catch (error) {
      if (!signal.aborted) setState({ kind: "failed", error });
    }
  };
  return { start, stop, state };
}
