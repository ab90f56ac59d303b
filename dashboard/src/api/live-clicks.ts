import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../../sdk/client.ts";
import type { paths } from "../../../sdk/schema.d.ts";
import { followStream, type StreamState } from "./follow-stream.ts";
import { useWorkspace } from "./workspace.tsx";

/** A click as the stream sends it. */
export type LiveClick = Schemas["ClickEvent"];
/** The filters of `GET /v1/events/live`. */
type LiveQuery = Omit<NonNullable<paths["/events/live"]["get"]["parameters"]["query"]>, "lastEventId">;
type LiveOptions = {
  /** Clicks kept; the oldest are dropped. */
  clicksMax: number;
  /** False stops listening. */
  isOn?: boolean;
  onClick?: (click: LiveClick) => void;
};

/** The clicks since the page was opened, newest first. A different query starts over. */
export function useLiveClicks(query: LiveQuery, { clicksMax, isOn = true, onClick }: LiveOptions) {
  const { api } = useWorkspace();
  const [clicks, setClicks] = useState<readonly LiveClick[]>([]);
  const [state, setState] = useState<StreamState>("connecting");
  const latestOnClick = useRef(onClick);
  useEffect(() => {
    latestOnClick.current = onClick;
  });
  const queryText = JSON.stringify(query);
  useEffect(() => {
    setClicks([]);
    if (!isOn) return;
    const connection = new AbortController();
    const { signal } = connection;
    const params = JSON.parse(queryText) as LiveQuery;
    void followStream({
      // After a lost connection, the stream resumes after the last id, so that no click is missing or repeated.
      connect: (lastEventId) =>
        api.GET("/events/live", {
          params: { query: { ...params, ...(lastEventId !== undefined && { lastEventId }) } },
          parseAs: "stream",
          signal,
        }),
      signal,
      onState: setState,
      onData(data) {
        // The events match the API's description, as other responses do.
        const click = JSON.parse(data) as LiveClick;
        setClicks((before) => [click, ...before].slice(0, clicksMax));
        latestOnClick.current?.(click);
      },
    });
    return () => connection.abort();
  }, [api, queryText, clicksMax, isOn]);
  return { clicks, state };
}
