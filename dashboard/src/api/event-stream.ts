/** One server-sent event: its data, and the id to come back with. A comment has an id at most. */
type StreamedEvent = { id: string | undefined; data: string | undefined };

/**
 * A reader of server-sent events, which is given texts as they come, cut anywhere, and gives the events that are whole.
 * Only a whole event counts: one that was cut off comes again.
 */
export function openEventReader(): (text: string) => StreamedEvent[] {
  let rest = "";
  let id: string | undefined;
  let data: string[] = [];
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const events: StreamedEvent[] = [];
    for (const line of lines) {
      if (line.startsWith("id: ")) id = line.slice("id: ".length);
      else if (line.startsWith("data: ")) data.push(line.slice("data: ".length));
      else if (line === "") {
        if (id !== undefined || data.length > 0) {
          events.push({ id, data: data.length > 0 ? data.join("\n") : undefined });
        }
        id = undefined;
        data = [];
      }
    }
    return events;
  };
}
